extension TrackEnvelope {
    /// Reads one message of `ruview.nlos.track.v1` with every check of the wire contract, A and D, in its order.
    ///
    /// The first breach is thrown: size; JSON and shape (`malformed`); then the values. `now` is the wall clock in milliseconds
    /// since 1970 UTC. Each number of a track is rounded once to the nearest `Double`, and that is held against its bounds.
    public static func decode(_ bytes: UnsafeRawBufferPointer, atUnixMs now: UInt64) throws(Rejection) -> TrackEnvelope {
        try TrackEnvelope(TrackMessage.read(bytes), atUnixMs: now)
    }

    /// The same for bytes that are already in an array.
    public static func decode(_ bytes: [UInt8], atUnixMs now: UInt64) throws(Rejection) -> TrackEnvelope {
        try decode(bytes[...], atUnixMs: now)
    }

    /// The same for a part of an array.
    public static func decode(_ bytes: ArraySlice<UInt8>, atUnixMs now: UInt64) throws(Rejection) -> TrackEnvelope {
        try bytes.withUnsafeBufferPointer { bytes throws(Rejection) in try decode(UnsafeRawBufferPointer(bytes), atUnixMs: now) }
    }

    /// How far the message's capture lies ahead of `now`, milliseconds, negative behind it; nil unless the clock is all that could
    /// speak against the message.
    static func captureOffsetMs(of bytes: UnsafeRawBufferPointer, atUnixMs now: UInt64) -> (capturedAtUnixMs: UInt64, offsetMs: Int64)? {
        // Read by the clock that captured it, it is neither stale nor ahead.
        guard let message = try? TrackMessage.read(bytes), let captured = message.capturedAtUnixMs,
            (try? TrackEnvelope(message, atUnixMs: captured)) != nil
        else { return nil }
        // Both within 2^53, so that nobody who adds offsets can overflow.
        return (captured, Int64(clamping: captured) - Int64(clamping: min(now, TransientFrame.interoperable.upperBound)))
    }
}

/// A message that has the shape of a track message, before any of its values is judged. Valid as long as its bytes are.
struct TrackMessage {
    private enum Key: String, JSONKey {
        case schema, sessionId, sequence, capturedAtUnixMs, expiresAtUnixMs, source, evidenceLevel, algorithmVersion, calibrationHash
        case provenance, tracks
        static let table = JSONKeyTable<Self>()
    }

    private(set) var schema = JSONText.empty
    private(set) var sessionId = JSONText.empty
    private(set) var sequence: UInt64?
    private(set) var capturedAtUnixMs: UInt64?
    private(set) var expiresAtUnixMs: UInt64?
    private(set) var source = FrameSource.synthetic
    private(set) var level = EvidenceLevel.synthetic
    private(set) var algorithmVersion = JSONText.empty
    private(set) var calibrationHash = JSONText.empty
    private(set) var provenance = ProvenanceMessage()
    private(set) var tracks = TracksMessage()

    static func read(_ bytes: UnsafeRawBufferPointer) throws(Rejection) -> TrackMessage {
        try JSONReader.read(bytes, atMost: TrackEnvelope.longestMessage) { json throws(MalformedJSON) in try TrackMessage(&json) }
    }

    private init(_ json: inout JSONReader) throws(MalformedJSON) {
        var members = try json.object(Key.self)
        while let key = try members.next(&json) {
            switch key {
            case .schema: schema = try json.text()
            case .sessionId: sessionId = try json.text()
            case .sequence: sequence = try json.unsigned()
            case .capturedAtUnixMs: capturedAtUnixMs = try json.unsigned()
            case .expiresAtUnixMs: expiresAtUnixMs = try json.unsigned()
            case .source: source = try json.name(of: FrameSource.self)
            case .evidenceLevel: level = try json.name(of: EvidenceLevel.self)
            case .algorithmVersion: algorithmVersion = try json.text()
            case .calibrationHash: calibrationHash = try json.text()
            case .provenance: provenance = try ProvenanceMessage(&json)
            case .tracks: tracks = try TracksMessage(&json)
            }
        }
    }

    /// The claim that the message makes, if table D has it.
    func evidence(_ hash: CalibrationHash) throws(Rejection) -> Evidence {
        try provenance.evidence(source: source, level: level, calibrationHash: hash)
    }
}
