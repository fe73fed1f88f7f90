import NLOSCore
import TransientSensor

/// What a capture or a replay came to. Every loss has a name here.
struct CaptureSummary {
    static let schema = "nlos-bridge.capture-summary.v1"
    /// Gaps kept one by one; further ones are only counted.
    static let gapsKept = 1024

    enum End: String {
        case framesReached = "frames_reached"
        case timeReached = "time_reached"
        case interrupted
        case endOfInput = "end_of_input"
        case sensorDisconnected = "sensor_disconnected"
        case outputClosed = "output_closed"
        case deviceError = "device_error"
    }

    struct Gap { let atMonotonicNs: UInt64, reason: String }
    struct Recording { let file: String, sha256: String, complete: Bool }

    /// Name of the profile that read the stream; nil where no sensor's bytes were read.
    var profile: String?
    var framesEmitted: UInt64 = 0
    /// Reason to count, in the order of first appearance by name.
    private(set) var framesRejected: [String: UInt64] = [:]
    private(set) var gaps: [Gap] = []
    private(set) var gapsBeyond: UInt64 = 0
    var bytesReceived: UInt64 = 0
    var bytesSkipped: UInt64 = 0
    var bytesLost: UInt64 = 0
    var negativesEmittedAsZero: UInt64 = 0
    /// Frames that never came, by the sensor's own count; nil where it keeps none.
    var framesMissing: UInt64?
    /// Every count was divided by two to this power, as asked.
    var countShift = 0
    var timing: BinTiming?
    var firmwareVersion: String?
    var end = End.interrupted
    var sha256 = ""
    var recording: Recording?
    /// Times that the wall clock was set while frames came, by more than a quarter of a second.
    var wallClockSteps: UInt64 = 0
    /// Times that the sensor's USB endpoint stalled.
    var stalls: UInt64 = 0
    /// Frames that were ready to be written.
    private var framesReady: UInt64 = 0
    private var firstNs: UInt64?
    private var lastNs: UInt64 = 0

    mutating func emitted(atNs: UInt64) {
        framesEmitted += 1
        framesReady += 1
        if firstNs == nil { firstNs = atNs }
        lastNs = atNs
    }

    /// At the end: lines that nobody took were not emitted, for this reason. Returns how many.
    mutating func settle(linesWritten: UInt64, _ reason: String) -> UInt64 {
        let lost = framesReady - min(framesReady, linesWritten)
        framesEmitted = framesReady - lost
        if lost > 0 {
            framesRejected[reason, default: 0] += lost
            gap(reason, atNs: lastNs)
        }
        return lost
    }

    mutating func rejected(_ reason: String) { framesRejected[reason, default: 0] += 1 }

    mutating func gap(_ reason: String, atNs: UInt64) {
        guard gaps.count < Self.gapsKept else {
            gapsBeyond += 1
            return
        }
        gaps.append(Gap(atMonotonicNs: atNs, reason: reason))
    }

    /// Frames a second between the first and the last frame that was ready; nil where no time lies between.
    var framesPerSecond: Double? {
        guard framesReady > 1, let firstNs else { return nil }
        let elapsed = interval(from: firstNs, to: lastNs)
        return elapsed == 0 ? nil : Double(framesReady - 1) / (Double(elapsed) / 1e9)
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("schema", Self.schema)
        writer.member("profile", profile)
        writer.member("framesEmitted", framesEmitted)
        writer.key("framesPerSecond")
        writer.value(framesPerSecond.map { ($0 * 1000).rounded() / 1000 })
        writer.key("framesRejected")
        writer.beginObject()
        for (reason, count) in framesRejected.sorted(by: { $0.key < $1.key }) {
            writer.key(text: reason)
            writer.value(count)
        }
        writer.endObject()
        writer.key("framesMissing")
        writer.value(framesMissing)
        writer.member("bytesReceived", bytesReceived)
        writer.member("bytesSkipped", bytesSkipped)
        writer.member("bytesLost", bytesLost)
        writer.member("negativesEmittedAsZero", negativesEmittedAsZero)
        writer.member("stalls", stalls)
        writer.member("wallClockSteps", wallClockSteps)
        writer.member("countShift", UInt64(countShift))
        writer.member("binTiming", timing?.basis.rawValue)
        writer.member("firmwareVersion", firmwareVersion)
        writer.key("gaps")
        writer.beginArray()
        for gap in gaps {
            writer.beginObject()
            writer.member("atMonotonicNs", gap.atMonotonicNs)
            writer.member("reason", gap.reason)
            writer.endObject()
        }
        writer.endArray()
        writer.member("gapsNotListed", gapsBeyond)
        writer.member("end", end.rawValue)
        writer.member("sha256", sha256)
        writer.key("recording")
        if let recording {
            writer.beginObject()
            writer.member("file", recording.file)
            writer.member("sha256", recording.sha256)
            writer.member("complete", recording.complete)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
        return writer.bytes
    }

    /// The same for people, a fact after the other, in lines of at most `width` cells; a digest is never broken.
    func lines(width: Int) -> [String] {
        facts.flatMap { name, value in columns(name, value, at: 12, width: width) }
    }

    private var facts: [(name: String, value: String)] {
        var facts = [("frames", "\(framesEmitted)\(framesPerSecond.map { " (\(decimal($0, places: 2)) a second)" } ?? "")")]
        facts.append(("rejected", framesRejected.isEmpty ? "none" : Self.list(framesRejected)))
        let named = Dictionary(grouping: gaps, by: \.reason).mapValues { UInt64($0.count) }
        let beyond = gapsBeyond > 0 ? ", \(gapsBeyond) more" : ""
        facts.append(("gaps", gaps.isEmpty ? "none seen" : Self.list(named) + beyond))
        if let framesMissing { facts.append(("missing", "\(framesMissing) frames, by the sensor's own count")) }
        facts.append(("bytes", "\(bytesReceived) received, \(bytesSkipped) in no frame, \(bytesLost) lost on this side"))
        if negativesEmittedAsZero > 0 { facts.append(("negatives", "\(negativesEmittedAsZero) values below zero were emitted as 0")) }
        if stalls > 0 { facts.append(("stalls", "\(stalls) of the USB endpoint, cleared")) }
        if wallClockSteps > 0 { facts.append(("clock", "the wall clock was set \(wallClockSteps) times; durations are not affected")) }
        if countShift > 0 { facts.append(("counts", "divided by \(1 << countShift), as asked (--count-shift \(countShift))")) }
        if let timing { facts.append(("bin timing", timing.sentence)) }
        if let firmwareVersion { facts.append(("firmware", firmwareVersion)) }
        if let recording {
            facts.append(("recording", "\(escaped(recording.file.utf8))\(recording.complete ? "" : " (incomplete)")"))
            facts.append(("", "sha256 \(recording.sha256)"))
        }
        facts.append(("sha256", sha256))
        facts.append(("end", end.rawValue))
        return facts
    }

    private static func list(_ counts: [String: UInt64]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}

extension BinTiming {
    /// How the bins' width and place are known, for people.
    var sentence: String {
        let what = "\(decimal(Double(binWidthPs), places: 0)) ps a bin, first physical bin \(startBin)"
        return switch basis {
        case .configured: "\(what) (as configured)"
        case .declared: "\(what) (as you stated)"
        case .reported: "\(what) (as the board said when it was asked)"
        case .firmwareDefault: "\(what) (the firmware's default, its start was seen)"
        case .nominal: "\(what) (the data sheet's value; the board does not say)"
        case .assumed: "\(what) (ASSUMED from the shape of the stream; firmwareVersion says so)"
        }
    }
}
