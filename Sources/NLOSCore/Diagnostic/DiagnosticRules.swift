/// The diagnostic's contract as the check reads it: keys, types, ranges, names.
enum DiagnosticRules {
    /// What a member's value has to be.
    indirect enum Value {
        case truth
        case fixed(Bool)
        /// One of these.
        case name([String])
        /// At most so many characters, all of them printable ASCII, and good in another way too.
        case text(most: Int, isGood: @Sendable (String) -> Bool)
        /// 0 to this.
        case number(most: Double)
        /// A whole number from 0 to this.
        case count(most: Double)
        case object([Member])
        case phases
    }

    struct Member {
        let key: String
        let value: Value
        let isNeeded: Bool

        init(_ key: String, _ value: Value, isNeeded: Bool = true) {
            self.key = key
            self.value = value
            self.isNeeded = isNeeded
        }
    }

    static var root: [Member] {
        [
            Member("schema", .name(["ruview.bridge.visible-depth-diagnostic.v1"])),
            Member("sessionId", .text(most: 36, isGood: isUUID)),
            Member("createdAt", .text(most: 20, isGood: isUTCTime)),
            Member("sensorModelFamily", .text(most: 80, isGood: saysNothingPrivate)),
            Member("osVersion", .text(most: 40, isGood: saysNothingPrivate)),
            Member("bridgeVersion", .text(most: 40, isGood: saysNothingPrivate)),
            Member(
                "capabilities",
                .object([
                    Member("visibleDepth", .truth), Member("sensorTemperature", .truth), Member("sensorPose", .fixed(false)),
                    Member("rawHistogram", .truth), Member("compactNormalizedHistogram", .truth),
                ])),
            Member("phases", .phases),
            Member(
                "consent",
                .object([
                    Member("localValidation", .truth), Member("diagnosticExport", .truth), Member("rawSensorExport", .fixed(false)),
                ])),
            Member("evidenceLabel", .name(["direct_depth"])),
            Member("physicalNLOSStatus", .name(["blocked_raw_transients_unavailable"])),
            Member("usbPermission", .name(["not_requested", "granted", "denied"])),
            Member("completionStatus", .name(["completed", "cancelled", "failed"])),
            Member("failureReason", .text(most: 240, isGood: saysNothingPrivate), isNeeded: false),
        ]
    }

    static var calibration: [Member] { phase("calibration") + [Member("depthNoiseMillimeters", .number(most: 10_000))] }
    static var wallScan: [Member] { phase("wall_scan") + [Member("steadyWallShare", .number(most: 1))] }

    private static func phase(_ name: String) -> [Member] {
        [
            Member("phase", .name([name])), Member("plannedDurationSeconds", .number(most: 3_600)),
            Member("observedDurationSeconds", .number(most: 3_600)), Member("frameCount", .count(most: 1_000_000)),
            Member("averageFPS", .number(most: 240)), Member("averageDepthCoverage", .number(most: 1)),
            Member("averageMovementMetersPerSecond", .number(most: 20)),
            Member(
                "finalTrackingState",
                .name(["normal", "limited_low_coverage", "limited_no_wall", "limited_excessive_motion", "unavailable"])),
            Member("peakThermalState", .name(["nominal", "fair", "serious", "critical", "unknown"])),
        ]
    }

    // MARK: What never leaves the machine

    /// Parts of names of what a diagnostic never holds; "depth" and "histogram" by themselves are parts of keys that it does hold.
    private static let forbiddenParts = [
        "serial", "distance", "depthmap", "histograms", "image", "token", "secret", "password", "credential", "hostname", "address",
        "endpoint", "url", "buspath", "devicepath", "username", "location", "raw_", "zones", "ambient", "transform", "translation",
    ]
    private static let forbiddenNames = ["path", "host", "user", "node", "port", "histogram", "pose", "ip", "mac", "device"]

    static func isForbidden(_ key: String) -> Bool {
        let name = key.lowercased()
        return forbiddenNames.contains(name) || forbiddenParts.contains(where: name.contains)
    }

    /// No path, address or identifier: printable ASCII, no slash and no `@`, a colon only before a space, no word that mixes letters
    /// or separators with digits at the length of a serial number, no four numbers with points.
    @Sendable static func saysNothingPrivate(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x20...0x7e).contains($0) && !#"/\@"#.utf8.contains($0) }) else { return false }
        return text.split(separator: " ").allSatisfy { word in
            let core = word.hasSuffix(":") ? word.dropLast() : word
            let digits = core.utf8.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return !core.contains(":") && !(core.utf8.count >= 12 && digits >= 4) && core.split(separator: ".").count { Int($0) != nil } < 4
        }
    }

    @Sendable private static func isUUID(_ text: String) -> Bool {
        matches(text, "hhhhhhhh-hhhh-4hhh-vhhh-hhhhhhhhhhhh")
    }

    @Sendable private static func isUTCTime(_ text: String) -> Bool {
        guard matches(text, "dddd-dd-ddTdd:dd:ddZ") else { return false }
        let fields = text.split { !$0.isNumber }.compactMap { Int($0) }
        return fields.count == 6 && (1...12).contains(fields[1]) && (1...31).contains(fields[2]) && fields[3] < 24 && fields[4] < 60
            && fields[5] < 60
    }

    /// `h` is a lower-case hexadecimal digit, `d` a decimal one, `v` the variant of a random UUID; anything else is itself.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        text.utf8.count == pattern.utf8.count
            && zip(text.utf8, pattern.utf8).allSatisfy { byte, wanted in
                switch wanted {
                case UInt8(ascii: "h"): "0123456789abcdef".utf8.contains(byte)
                case UInt8(ascii: "d"): "0123456789".utf8.contains(byte)
                case UInt8(ascii: "v"): "89ab".utf8.contains(byte)
                default: byte == wanted
                }
            }
    }
}
