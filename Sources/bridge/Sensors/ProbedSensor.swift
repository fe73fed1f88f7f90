import NLOSCore
import TransientSensor

/// A sensor as `probe` shows it, whatever kind of source it is.
struct ProbedSensor {
    /// What the firmware said while it was looked at.
    struct Firmware {
        var banner: String?
        var version: String?
        var shape: FrameShape?
        var framesPerSecond: Double?
        /// Share of zones with a distance that counts, mean over the frames.
        var depthCoverage: Double?
        var framesSeen = 0
        /// The most bins that a frame had; 0 when none had a histogram.
        var bins = 0
        /// The sensor's own temperature, degrees Celsius.
        var temperatureC: Int?
    }

    let path: String
    var vendorId: String?
    var productId: String?
    var serial: SerialNumber?
    let board: String
    var profile: SensorProfile?
    let access: AttachedSensor.Access
    var node: String?
    var ttyNodes: [String] = []
    var kernelDriver: String?
    /// Sentences on what is unusual about it.
    var notes: [String] = []
    var origin: FrameSource
    /// Nil until it was opened.
    var firmware: Firmware?
    /// Why it could not be looked into.
    var openFailure: String?

    var signals: [Signal] { Signal.all(of: profile, seen: firmware) }

    /// The members of the JSON object of this sensor.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("path", path)
        writer.member("vendorId", vendorId)
        writer.member("productId", productId)
        writer.member("serial", serial?.text)
        writer.member("board", board)
        writer.member("profile", profile?.name)
        writer.member("sensorModel", (firmware?.framesSeen ?? 0) > 0 ? profile?.sensorModel.text : nil)
        writer.member("source", origin.rawValue)
        writer.member("access", access.rawValue)
        writer.member("node", node)
        writer.member("kernelDriver", kernelDriver)
        writer.key("firmware")
        if let firmware {
            writer.beginObject()
            writer.member("banner", firmware.banner)
            writer.member("version", firmware.version)
            writer.key("zones")
            writer.value(firmware.shape?.zones)
            writer.key("bins")
            writer.value(firmware.shape?.bins)
            writer.key("framesPerSecond")
            writer.value(firmware.framesPerSecond)
            writer.key("depthCoverage")
            writer.value(firmware.depthCoverage)
            writer.key("temperatureC")
            writer.value(firmware.temperatureC)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.key("signals")
        writer.beginArray()
        for signal in signals {
            writer.beginObject()
            writer.member("signal", signal.kind.rawValue)
            writer.member("status", signal.status.rawValue)
            writer.member("use", signal.use.rawValue)
            writer.endObject()
        }
        writer.endArray()
        writer.key("notes")
        writer.beginArray()
        for note in notes { writer.value(note) }
        writer.endArray()
    }
}

/// One signal of a sensor: whether it is there, and the most it may be used for.
struct Signal {
    enum Kind: String, CaseIterable {
        case visibleDepth = "visible_depth"
        case sensorTemperature = "sensor_temperature"
        case compactNormalizedHistogram = "compact_normalized_histogram"
        case rawHistogram = "raw_histogram"
        case sensorPose = "sensor_pose"

        var words: String {
            switch self {
            case .visibleDepth: "visible depth"
            case .sensorTemperature: "sensor temperature"
            case .compactNormalizedHistogram: "compact normalized histograms"
            case .rawHistogram: "raw histograms"
            case .sensorPose: "sensor pose"
            }
        }
    }

    enum Status: String { case available, unavailable, unknown }

    enum Use: String {
        case directDepthOnly = "direct_depth_only"
        case nlosInputL1AtMost = "nlos_input_l1_at_most"
        case healthOnly = "health_only"
        case none

        var words: String {
            switch self {
            case .directDepthOnly: "direct_depth only"
            case .nlosInputL1AtMost: "input of the NLOS pipeline, at most l1_measured here"
            case .healthOnly: "health of the sensor only"
            case .none: "-"
            }
        }
    }

    let kind: Kind
    let status: Status
    var use: Use {
        guard status != .unavailable else { return .none }
        return switch kind {
        case .visibleDepth: .directDepthOnly
        case .sensorTemperature: .healthOnly
        case .compactNormalizedHistogram, .rawHistogram: .nlosInputL1AtMost
        case .sensorPose: .none
        }
    }

    /// A profile says what the firmware can deliver; only frames that were seen say that this board does.
    static func all(of profile: SensorProfile?, seen firmware: ProbedSensor.Firmware?) -> [Signal] {
        let frames = (firmware?.framesSeen ?? 0) > 0
        return Kind.allCases.map { kind in
            let status: Status
            switch kind {
            case .sensorPose: status = .unavailable
            case .visibleDepth:
                if profile?.reportsDepth == false {
                    status = .unavailable
                } else {
                    status = !frames ? .unknown : (firmware?.depthCoverage ?? 0) > 0 ? .available : .unavailable
                }
            case .sensorTemperature:
                if profile?.reportsTemperature == false {
                    status = .unavailable
                } else {
                    status = !frames ? .unknown : firmware?.temperatureC != nil ? .available : .unavailable
                }
            case .compactNormalizedHistogram: status = histogram(profile, .compactNormalized, firmware)
            case .rawHistogram: status = histogram(profile, .raw, firmware)
            }
            return Signal(kind: kind, status: status)
        }
    }

    private static func histogram(_ profile: SensorProfile?, _ kind: MeasuredHistogram, _ seen: ProbedSensor.Firmware?) -> Status {
        guard let profile else { return .unknown }
        guard profile.histogram == kind else { return .unavailable }
        guard let seen, seen.framesSeen > 0 else { return .unknown }
        return seen.bins > 0 ? .available : .unavailable
    }
}
