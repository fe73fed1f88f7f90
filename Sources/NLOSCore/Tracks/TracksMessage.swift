/// The `tracks` array of a track message: the hypotheses as far as they keep the contract, and the first breach of it.
///
/// The whole array is always read, because a breach of shape further on comes first; but nothing is stored beyond what a message
/// may hold, whatever it claims.
struct TracksMessage {
    /// The fewest bytes that a track takes in a message, more than a `Track` takes in memory.
    private static let shortestTrack = 230

    private var tracks: [Track] = []
    /// The end of each track's name, so that few names need a whole comparison.
    private var nameEnds = InlineArray<16, UInt64>(repeating: 0)
    private var count = 0
    /// Of the first track that breaks the contract.
    private var breach: Rejection?

    /// A place to start from, before the member has been read.
    init() {}

    init(_ json: inout JSONReader) throws(MalformedJSON) {
        var elements = try json.array()
        while try elements.next(&json) {
            let track = try TrackDraft(&json)
            if breach == nil, count < TrackEnvelope.mostTracks {
                if count == 0 {
                    // Room for the tracks that the rest of the message can still hold, so that the list does not grow step by step.
                    tracks.reserveCapacity(min(TrackEnvelope.mostTracks, 1 + json.unread / Self.shortestTrack))
                }
                judge(track)
            }
            count += 1
        }
    }

    /// The tracks, once all that comes before them is known to be right.
    func checked() throws(Rejection) -> [Track] {
        // How many there are comes before what they are.
        guard count <= TrackEnvelope.mostTracks else { throw .invalidField("tracks") }
        if let breach { throw breach }
        return tracks
    }

    private mutating func judge(_ draft: TrackDraft) {
        do throws(Rejection) {
            guard let label = draft.id.label, isNew(draft.id, label) else { throw .invalidField("tracks.trackId") }
            nameEnds[tracks.count] = draft.id.end
            tracks.append(try draft.track(named: label))
        } catch {
            breach = error
        }
    }

    /// Whether no track before has this name.
    private func isNew(_ id: JSONText, _ label: SafeLabel) -> Bool {
        let end = id.end
        for index in tracks.indices where nameEnds[index] == end && tracks[index].trackId == label { return false }
        return true
    }
}

/// A track that has the right shape, before any of its values is judged. Valid as long as the message's bytes are.
private struct TrackDraft {
    private enum Key: String, JSONKey {
        case trackId, state, positionM, velocityMps, covarianceDiagonalM2, confidence, posteriorEntropy, signalQuality
        case modalityContributions
        static let table = JSONKeyTable<Self>()
    }

    private(set) var id = JSONText.empty
    private var state = TrackState.unknown
    private var position = SIMD3<Double>.zero
    private var velocity = SIMD3<Double>.zero
    private var covariance = SIMD3<Double>.zero
    private var confidence = 0.0
    private var entropy = 0.0
    private var quality = 0.0
    private var contributions: ModalityContributions?

    @inline(__always)
    init(_ json: inout JSONReader) throws(MalformedJSON) {
        var members = try json.object(Key.self)
        while let key = try members.next(&json) {
            switch key {
            case .trackId: id = try json.text()
            case .state: state = try json.name(of: TrackState.self)
            case .positionM: position = try json.xyz()
            case .velocityMps: velocity = try json.xyz()
            case .covarianceDiagonalM2: covariance = try json.xyz()
            case .confidence: confidence = try json.double()
            case .posteriorEntropy: entropy = try json.double()
            case .signalQuality: quality = try json.double()
            case .modalityContributions: contributions = try json.contributions()
            }
        }
    }

    /// The track, its numbers checked in the contract's order.
    @inline(__always)
    func track(named label: SafeLabel) throws(Rejection) -> Track {
        guard Track.positionsM.holds(position) else { throw .invalidField("tracks.positionM") }
        guard Track.velocitiesMps.holds(velocity) else { throw .invalidField("tracks.velocityMps") }
        guard Track.variancesM2.holds(covariance) else { throw .invalidField("tracks.covarianceDiagonalM2") }
        guard Track.shares.contains(confidence) else { throw .invalidField("tracks.confidence") }
        guard Track.shares.contains(quality) else { throw .invalidField("tracks.signalQuality") }
        guard entropy >= 0 else { throw .invalidField("tracks.posteriorEntropy") }
        guard let contributions else { throw .invalidField("tracks.modalityContributions") }
        return Track(
            trackId: label, state: state, positionM: position, velocityMps: velocity, covarianceDiagonalM2: covariance,
            confidence: confidence, signalQuality: quality, posteriorEntropy: entropy, contributions: contributions)
    }
}

extension ClosedRange<Double> {
    /// Whether each part of the vector lies in the range.
    @inline(__always)
    fileprivate func holds(_ vector: SIMD3<Double>) -> Bool { contains(vector.x) && contains(vector.y) && contains(vector.z) }
}

extension JSONReader {
    private enum VectorKey: String, JSONKey {
        case x, y, z
        static let table = JSONKeyTable<Self>()
    }

    private enum ContributionKey: String, JSONKey {
        case lidar, csi
        static let table = JSONKeyTable<Self>()
    }

    /// A vector; its shape is all that is checked.
    fileprivate mutating func xyz() throws(MalformedJSON) -> SIMD3<Double> {
        var vector = SIMD3<Double>.zero
        var members = try object(VectorKey.self)
        while let key = try members.next(&self) {
            switch key {
            case .x: vector.x = try double()
            case .y: vector.y = try double()
            case .z: vector.z = try double()
            }
        }
        return vector
    }

    /// Contributions; nil when they are not shares of one whole.
    fileprivate mutating func contributions() throws(MalformedJSON) -> ModalityContributions? {
        var lidar = Share()
        var csi = Share()
        var members = try object(ContributionKey.self)
        while let key = try members.next(&self) {
            switch key {
            case .lidar: lidar = Share(try decimal())
            case .csi: csi = Share(try decimal())
            }
        }
        guard let a = lidar.number, let b = csi.number else { throw MalformedJSON() }
        guard Track.shares.contains(a), Track.shares.contains(b), lidar.isWhole(with: csi) else { return nil }
        return ModalityContributions(lidar: a, csi: b)
    }
}

/// One of two shares, whose sum has narrow bounds.
private struct Share {
    /// The nearest `Double`; nil when the number overflows.
    private(set) var number: Double?
    /// Exactly what is spelled, in units of 10^-18; nil when it has more places than that.
    private var units: UInt64?

    init() {}

    init(_ decimal: DecimalNumber) {
        number = decimal.nearestDouble
        units = decimal.inUnits
    }

    /// Whether the two make 0.999 to 1.001.
    ///
    /// Judged on the decimals as they are spelled: 0.3 and 0.699 make 0.999, though the doubles nearest to them make less. Only
    /// numbers of more than 18 places are added as doubles.
    func isWhole(with other: Share) -> Bool {
        if let units, let others = other.units {
            return (999_000_000_000_000_000...1_001_000_000_000_000_000).contains(units + others)
        }
        guard let number, let another = other.number else { return false }
        return (0.999...1.001).contains(number + another)
    }
}
