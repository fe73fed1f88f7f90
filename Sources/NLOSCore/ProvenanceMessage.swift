/// The `provenance` object that tracks and transients share, its shape checked and its values not yet.
///
/// Valid as long as the message's bytes are.
struct ProvenanceMessage {
    private enum Key: String, JSONKey {
        case sensorId, sensorModel, firmwareVersion, transientKind, histogramPreserved, transport
        static let table = JSONKeyTable<Self>()
    }

    private var sensorId = JSONText.empty
    private var sensorModel = JSONText.empty
    private var firmwareVersion = JSONText.empty
    private(set) var kind = TransientKind.depthOnly
    private(set) var histogramPreserved = false
    private(set) var transport = Transport.replay

    /// A place to start from, before the member has been read. It passes no check.
    init() {}

    init(_ json: inout JSONReader) throws(MalformedJSON) {
        var members = try json.object(Key.self)
        while let key = try members.next(&json) {
            switch key {
            case .sensorId: sensorId = try json.text()
            case .sensorModel: sensorModel = try json.text()
            case .firmwareVersion: firmwareVersion = try json.text()
            case .transientKind: kind = try json.name(of: TransientKind.self)
            case .histogramPreserved: histogramPreserved = try json.bool()
            case .transport: transport = try json.name(of: Transport.self)
            }
        }
    }

    /// The labels, checked in the contract's order.
    func sensor() throws(Rejection) -> SensorIdentity {
        guard let sensorId = sensorId.label else { throw .invalidField("provenance.sensorId") }
        guard let sensorModel = sensorModel.label else { throw .invalidField("provenance.sensorModel") }
        guard let firmwareVersion = firmwareVersion.label else { throw .invalidField("provenance.firmwareVersion") }
        return SensorIdentity(sensorId: sensorId, sensorModel: sensorModel, firmwareVersion: firmwareVersion)
    }

    /// The claim that the message makes, if table D has it.
    func evidence(source: FrameSource, level: EvidenceLevel, calibrationHash: CalibrationHash) throws(Rejection) -> Evidence {
        do throws(EvidenceBreach) {
            return try Evidence(
                source: source, level: level, kind: kind, histogramPreserved: histogramPreserved, transport: transport,
                calibrationHash: calibrationHash)
        } catch {
            throw .invalidField(error.field)
        }
    }
}

extension EvidenceBreach {
    /// The breached column's place in a message.
    public var field: String {
        switch self {
        case .level: "evidenceLevel"
        case .kind: "provenance.transientKind"
        case .histogramNotPreserved: "provenance.histogramPreserved"
        case .transport: "provenance.transport"
        case .calibrationHash: "calibrationHash"
        }
    }
}
