extension TransientFrame {
    /// Reads one message of `ruview.nlos.transient.v1` with every check of the wire contract, C and D.
    ///
    /// The first breach in the contract's order is thrown: size; JSON and shape (`malformed`); then, as `invalidField` with the
    /// field's dotted name, `schema`, `sessionId`, `sequence`, `timestamp`, `monotonicNs`, `calibrationHash`, the columns of the
    /// evidence table, the labels of `provenance`, `binWidthPs`, `startBin`, `sensorPose`, and the zones one after the other.
    /// Nothing is converted: the frame holds the numbers of the message, reals rounded once to `Float`.
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws(Rejection) -> TransientFrame {
        let message = try JSONReader.read(bytes, atMost: longestLine) { json throws(MalformedJSON) in
            try TransientMessage(&json)
        }
        return try message.frame()
    }

    /// The same for bytes that are already in an array.
    public static func decode(_ bytes: [UInt8]) throws(Rejection) -> TransientFrame { try decode(bytes[...]) }

    /// The same for a part of an array.
    public static func decode(_ bytes: ArraySlice<UInt8>) throws(Rejection) -> TransientFrame {
        try bytes.withUnsafeBufferPointer { bytes throws(Rejection) in try decode(UnsafeRawBufferPointer(bytes)) }
    }
}

/// A message that has the shape of a transient frame, before any of its values is judged. Valid as long as its bytes are.
private struct TransientMessage {
    private enum Key: String, JSONKey {
        case schema, sessionId, sequence, capturedAtUnixMs, monotonicNs, source, evidenceLevel, binWidthPs, startBin, sensorPose
        case calibrationHash, provenance, zones
        static let table = JSONKeyTable<Self>()
    }

    private var schema = JSONText.empty
    private var sessionId = JSONText.empty
    private var sequence: UInt64?
    private var capturedAtUnixMs: UInt64?
    private var monotonicNs: UInt64?
    private var source = FrameSource.synthetic
    private var level = EvidenceLevel.synthetic
    private var binWidthPs: Float = 0
    private var startBin: UInt64?
    private var pose: SensorPose?
    private var calibrationHash = JSONText.empty
    private var provenance = ProvenanceMessage()
    private var zones = ZonesMessage()

    init(_ json: inout JSONReader) throws(MalformedJSON) {
        var members = try json.object(Key.self)
        while let key = try members.next(&json) {
            switch key {
            case .schema: schema = try json.text()
            case .sessionId: sessionId = try json.text()
            case .sequence: sequence = try json.unsigned()
            case .capturedAtUnixMs: capturedAtUnixMs = try json.unsigned()
            case .monotonicNs: monotonicNs = try json.unsigned()
            case .source: source = try json.name(of: FrameSource.self)
            case .evidenceLevel: level = try json.name(of: EvidenceLevel.self)
            case .binWidthPs: binWidthPs = try json.float()
            case .startBin: startBin = try json.unsigned()
            case .sensorPose: pose = try json.pose()
            case .calibrationHash: calibrationHash = try json.text()
            case .provenance: provenance = try ProvenanceMessage(&json)
            case .zones: zones = try ZonesMessage(&json)
            }
        }
    }

    func frame() throws(Rejection) -> TransientFrame {
        guard schema == TransientFrame.schema else { throw .invalidField("schema") }
        guard let sessionId = sessionId.label else { throw .invalidField("sessionId") }
        guard let sequence, TransientFrame.interoperable.contains(sequence) else { throw .invalidField("sequence") }
        guard let capturedAtUnixMs, TransientFrame.interoperable.contains(capturedAtUnixMs) else { throw .invalidField("timestamp") }
        guard let monotonicNs else { throw .invalidField("monotonicNs") }
        guard let hash = calibrationHash.calibrationHash else { throw .invalidField("calibrationHash") }
        let evidence = try provenance.evidence(source: source, level: level, calibrationHash: hash)
        let sensor = try provenance.sensor()
        guard TransientFrame.binWidthsPs.contains(binWidthPs) else { throw .invalidField("binWidthPs") }
        guard let startBin = startBin.flatMap({ UInt16(exactly: $0) }) else { throw .invalidField("startBin") }
        guard let pose else { throw .invalidField("sensorPose") }
        let zones = try zones.checked()
        do throws(TransientBreach) {
            return try TransientFrame(
                sessionId: sessionId, sequence: sequence, capturedAtUnixMs: capturedAtUnixMs, monotonicNs: monotonicNs,
                evidence: evidence, sensor: sensor, binWidthPs: binWidthPs, startBin: startBin, pose: pose, zones: zones)
        } catch {
            throw .invalidField(error.rawValue)
        }
    }
}

extension JSONReader {
    private enum PoseKey: String, JSONKey {
        case translationM, quaternionXyzw
        static let table = JSONKeyTable<Self>()
    }

    private enum VectorKey: String, JSONKey {
        case x, y, z
        static let table = JSONKeyTable<Self>()
    }

    /// A vector; its shape is all that is checked.
    @inline(__always)
    mutating func vector3() throws(MalformedJSON) -> Vector3 {
        var vector = Vector3.zero
        var members = try object(VectorKey.self)
        while let key = try members.next(&self) {
            switch key {
            case .x: vector.x = try float()
            case .y: vector.y = try float()
            case .z: vector.z = try float()
            }
        }
        return vector
    }

    /// A pose; nil when its numbers are not one. A quaternion of another length is malformed.
    mutating func pose() throws(MalformedJSON) -> SensorPose? {
        var translation = Vector3.zero
        var quaternion = SIMD4<Float>.zero
        var members = try object(PoseKey.self)
        while let key = try members.next(&self) {
            switch key {
            case .translationM: translation = try vector3()
            case .quaternionXyzw: quaternion = try quaternionXyzw()
            }
        }
        return SensorPose(translationM: translation, quaternionXyzw: quaternion)
    }

    private mutating func quaternionXyzw() throws(MalformedJSON) -> SIMD4<Float> {
        var quaternion = SIMD4<Float>.zero
        var count = 0
        var elements = try array()
        while try elements.next(&self) {
            guard count < quaternion.scalarCount else { throw MalformedJSON() }
            quaternion[count] = try float()
            count += 1
        }
        guard count == quaternion.scalarCount else { throw MalformedJSON() }
        return quaternion
    }
}
