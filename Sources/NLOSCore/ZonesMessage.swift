/// The `zones` array of a transient message: its columns as far as they keep the contract, and the first breach of it.
///
/// The whole array is always read, because a breach of shape further on comes first; but nothing is stored beyond what a frame
/// can hold, whatever the message claims.
struct ZonesMessage {
    private enum Key: String, JSONKey {
        case zoneId, wallPointM, distanceM, ambient, histogram
        static let table = JSONKeyTable<Self>()
    }

    private var count = 0
    private var wallPointsM: [Vector3] = []
    private var distancesM: [Float] = []
    private var ambient: [UInt32] = []
    private var histograms: [UInt16] = []
    /// Of the first zone; every other must have as many.
    private var bins = 0
    /// The field of the first zone that breaks the contract.
    private var breach: String?

    /// A place to start from, before the member has been read. It passes no check.
    init() {}

    init(_ json: inout JSONReader) throws(MalformedJSON) {
        var elements = try json.array()
        while try elements.next(&json) {
            if count == TransientZones.zoneCounts.upperBound { breach = breach ?? "zones" }
            let zoneBreach = try readZone(&json)
            breach = breach ?? zoneBreach
            count += 1
        }
    }

    /// The zones, once the whole message is known to be well-formed.
    func checked() throws(Rejection) -> TransientZones {
        // How many there are comes before what they are.
        guard TransientZones.zoneCounts.contains(count) else { throw .invalidField("zones") }
        if let breach { throw .invalidField(breach) }
        do throws(TransientBreach) {
            return try TransientZones(wallPointsM: wallPointsM, distancesM: distancesM, ambient: ambient, histograms: histograms)
        } catch {
            throw .invalidField(error.rawValue)
        }
    }

    /// Reads one zone and stores it while there is nothing against it. Returns the first field, in the contract's order, that is.
    private mutating func readZone(_ json: inout JSONReader) throws(MalformedJSON) -> String? {
        var id: UInt64?
        var point = Vector3.zero
        var distance: Float = 0
        var level: UInt64?
        var goodHistogram = false
        var members = try json.object(Key.self)
        while let key = try members.next(&json) {
            switch key {
            case .zoneId: id = try json.unsigned()
            case .wallPointM: point = try json.vector3()
            case .distanceM: distance = try json.float()
            case .ambient: level = try json.unsigned()
            case .histogram: goodHistogram = try readHistogram(&json)
            }
        }
        guard id == UInt64(count) else { return "zones.zoneId" }
        guard TransientZones.distancesM.contains(distance) else { return "zones.distanceM" }
        guard let level = level.flatMap({ UInt32(exactly: $0) }) else { return "zones.ambient" }
        guard goodHistogram else { return "zones.histogram" }
        if breach == nil {
            if count == 0 { reserve(bins: bins) }
            wallPointsM.append(point)
            distancesM.append(distance)
            ambient.append(level)
        }
        return nil
    }

    /// Makes room for the largest frame with so many bins a zone, at most 18 KB, so that no column grows step by step.
    private mutating func reserve(bins: Int) {
        let zones = TransientZones.zoneCounts.upperBound
        wallPointsM.reserveCapacity(zones)
        distancesM.reserveCapacity(zones)
        ambient.reserveCapacity(zones)
        histograms.reserveCapacity(zones * bins)
    }

    /// Reads the integers straight to the end of the column. Whether there are as many as there must be, and none is too large.
    private mutating func readHistogram(_ json: inout JSONReader) throws(MalformedJSON) -> Bool {
        let most = breach != nil ? 0 : count == 0 ? TransientZones.binCounts.upperBound : bins
        var inRange = true
        var found = 0
        var failure: MalformedJSON?
        histograms.append(addingCapacity: most) { column in
            do throws(MalformedJSON) {
                try json.smallIntegers { value in
                    if let value, found < most { column.append(value) }
                    inRange = inRange && value != nil
                    found += 1
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if count == 0, found <= most { bins = found }
        return inRange && found == bins && TransientZones.binCounts.contains(found)
    }
}
