import NLOSCore

/// Whether the sensor that a stream names is the one that is plugged in here.
enum Agreement: Equatable, Sendable {
    /// A field of a message's `provenance`; the raw value is its name there.
    enum Field: String, CaseIterable, Sendable {
        case sensorId, sensorModel, firmwareVersion, transientKind, transport
    }

    /// Everything that can be compared is equal.
    case agrees
    /// What is not equal, in the order of the contract.
    case differs([Field])
    /// Nothing is on display, or something that would have to be compared is not known here.
    case unknown

    var name: String {
        switch self {
        case .agrees: "agrees"
        case .differs: "differs"
        case .unknown: "unknown"
        }
    }

    var differences: [Field] { if case .differs(let fields) = self { fields } else { [] } }

    /// A simulated or replayed sensor never agrees with what claims to be live, because its frames are of another kind by type.
    init(of local: LocalSensorReport, with frame: DisplayableFrame?) {
        guard let frame else {
            self = .unknown
            return
        }
        let comparisons = Field.allCases.map { ($0, Self.compare($0, local, frame)) }
        let different = comparisons.filter { $0.1 == false }.map(\.0)
        if !different.isEmpty {
            self = .differs(different)
        } else {
            let isSame = comparisons.allSatisfy { $0.1 == true } && local.state == .streaming && local.origin == frame.evidence.source
            self = isSame ? .agrees : .unknown
        }
    }

    /// Whether the field is equal; nil when nobody can say.
    private static func compare(_ field: Field, _ local: LocalSensorReport, _ frame: DisplayableFrame) -> Bool? {
        switch field {
        case .sensorId: local.sensorId.map { $0 == frame.sensor.sensorId }
        case .sensorModel: local.sensorModel.map { $0 == frame.sensor.sensorModel }
        case .firmwareVersion: compare(frame.sensor.firmwareVersion, local)
        case .transientKind: local.kind.map { $0 == frame.evidence.kind }
        case .transport: compareTransport(frame.evidence, local)
        }
    }

    /// What `capture` appends to a version says how the frames were made and not which firmware runs.
    private static func compare(_ claimed: SafeLabel, _ local: LocalSensorReport) -> Bool? {
        let version = claimed.text.firmwareName
        // A stream whose capture heard no version says nothing about the firmware here, unless this one is as silent.
        if version == "unreported" { return local.firmwareVersion == nil && local.state == .streaming ? true : nil }
        return local.firmwareVersion.map { $0.text.firmwareName == version }
    }

    /// Something that came over a serial line came from a sensor that streams here. What a server passes on may come from anywhere.
    private static func compareTransport(_ claim: Evidence, _ local: LocalSensorReport) -> Bool? {
        guard let origin = local.origin else { return claim.transport == .usbSerial ? false : nil }
        switch claim.transport {
        case .usbSerial: return local.state == .streaming && origin == .live
        case .ruviewServer: return origin == .live ? true : false
        case .replay: return origin != .live
        }
    }
}

extension String {
    /// A `firmwareVersion` without the suffixes that `capture` gives it.
    fileprivate var firmwareName: Substring {
        var name = self[...]
        while let dot = name.lastIndex(of: ".") {
            let suffix = name[name.index(after: dot)...]
            let isShift = suffix.hasPrefix("shift") && suffix.utf8.count == 6 && ("0"..."8").contains(suffix.suffix(1))
            guard suffix == "assumed-bins" || isShift else { break }
            name = name[..<dot]
        }
        return name
    }
}
