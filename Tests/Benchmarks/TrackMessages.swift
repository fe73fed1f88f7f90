import NLOSCore

/// Messages of the size and spelling that a RuView server sends.
struct TrackMessages {
    static let nowUnixMs: UInt64 = 1_800_000_000_000

    /// How a server spells its numbers: as its own arithmetic has them. `mixed`: vectors in double precision, the rest in single.
    enum Precision: String { case single, mixed, double }

    private var state: UInt64
    private var json = JSONWriter()
    private let precision: Precision

    private init(seed: UInt64, precision: Precision) {
        state = seed
        self.precision = precision
    }

    static func message(sequence: UInt64, tracks: Int, precision: Precision = .mixed) -> [UInt8] {
        var messages = TrackMessages(seed: sequence, precision: precision)
        messages.write(sequence: sequence, tracks: tracks)
        return messages.json.bytes
    }

    private mutating func write(sequence: UInt64, tracks: Int) {
        json.beginObject()
        member("schema", TrackEnvelope.schema)
        member("sessionId", "lab-run-001")
        json.key("sequence")
        json.value(sequence)
        json.key("capturedAtUnixMs")
        json.value(Self.nowUnixMs - 40)
        json.key("expiresAtUnixMs")
        json.value(Self.nowUnixMs + 210)
        member("source", "live")
        member("evidenceLevel", "l2_calibrated")
        member("algorithmVersion", "motion-aperture-canonical-v1")
        member("calibrationHash", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        json.key("provenance")
        json.beginObject()
        member("sensorId", "st-kit-001")
        member("sensorModel", "VL53L8CH")
        member("firmwareVersion", "15314de")
        member("transientKind", "raw_histogram")
        json.key("histogramPreserved")
        json.value(true)
        member("transport", "ruview_server")
        json.endObject()
        json.key("tracks")
        json.beginArray()
        for track in 0..<tracks { write(track) }
        json.endArray()
        json.endObject()
    }

    private mutating func write(_ track: Int) {
        json.beginObject()
        member("trackId", "hidden-target-\(track)")
        member("state", track % 5 == 4 ? "degraded" : "tracking")
        vector("positionM", -4...4)
        vector("velocityMps", -1.5...1.5)
        vector("covarianceDiagonalM2", 0.01...0.4)
        number("confidence", 0.3...0.99)
        number("posteriorEntropy", 0...2)
        number("signalQuality", 0.3...0.99)
        json.key("modalityContributions")
        json.beginObject()
        let lidar = random(0.2...0.8)
        json.key("lidar")
        value(lidar)
        json.key("csi")
        value(1 - lidar)
        json.endObject()
        json.endObject()
    }

    private mutating func vector(_ name: StaticString, _ range: ClosedRange<Double>) {
        json.key(name)
        json.beginObject()
        for axis in ["x", "y", "z"] as [StaticString] {
            json.key(axis)
            if precision == .mixed { json.value(random(range)) } else { value(random(range)) }
        }
        json.endObject()
    }

    private mutating func number(_ name: StaticString, _ range: ClosedRange<Double>) {
        json.key(name)
        value(random(range))
    }

    private mutating func value(_ number: Double) { if precision == .double { json.value(number) } else { json.value(Float(number)) } }

    private mutating func member(_ name: StaticString, _ text: String) {
        json.key(name)
        json.value(text)
    }

    private mutating func random(_ range: ClosedRange<Double>) -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return range.lowerBound + Double(state >> 11) / Double(1 << 53) * (range.upperBound - range.lowerBound)
    }
}
