import Glibc
import NLOSCore

/// Turns a scene into the counts and distances of a TMF882x, sub-capture by sub-capture.
///
/// Counts: the public recording (TMF8820, 4 million iterations, a plane 0.005 to 0.4 m away) has 97,000 in the brightest bin of the
/// middle zone at 0.4 m, 57,000 in the reference, and 170 a bin of ambient; its peaks are where 73.484 bins a metre and an offset of
/// 13.25 bins (mini_tof's calibration) put them. The long range has the same times in wider bins.
struct TMF882xModel: Sendable {
    static let bins = 128
    static let channels = 10

    struct Result: Sendable {
        /// Sub-capture, channel, bin.
        var counts: [UInt32] = []
        /// Nine zones of each sub-capture.
        var distanceMm: [Int64] = []
        var confidence: [Int64] = []
        var temperature = 24
    }

    private let scene: SimulatedScene
    private var random: SeededGenerator
    private let patches: [Double]
    private var recordedIndex = 0

    init(scene: SimulatedScene, seed: UInt64) {
        self.scene = scene
        var board = SeededGenerator(seed: seed)
        patches = (0..<64).map { _ in board.unit() }
        random = board
    }

    /// Zones along a side of the frames that are to be printed number by number; nil for a scene that takes any grid.
    var recordedSide: Int? {
        guard case .recorded(let frames) = scene.content else { return nil }
        return ZoneGrid(squareOf: frames[0].zones)?.width
    }

    /// The zone that a channel of a sub-capture sees. Source: the table in cc-hardware's `tmf8828.py`, said another way than the decoder's.
    static func zone(side: Int, capture: Int, channel: Int) -> Int {
        switch side {
        case 8:
            let pair = (channel - 1) >> 1
            let row = (capture < 4 ? [7, 5, 3, 1] : [6, 4, 2, 0])[pair]
            let column = (channel & 1 == 1 ? [0, 1, 2, 3] : [4, 5, 6, 7])[capture & 3]
            return row << 3 | column
        case 4: return capture << 3 | (channel - 1)
        default: return channel - 1
        }
    }

    static func captures(side: Int) -> Int { side == 8 ? 8 : side == 4 ? 2 : 1 }

    /// What a whole frame of this setting holds.
    mutating func measure(
        side: Int, _ setting: TMF882xFirmware.Setting, view: (x: Double, y: Double), isLong: Bool, atSeconds time: Double
    ) -> Result {
        switch scene.content {
        case .recorded(let frames):
            defer { recordedIndex = (recordedIndex + 1) % frames.count }
            return Self.result(of: frames[recordedIndex], side: side)
        case .wall(let wall):
            return measure(wall, side: side, setting, view: view, isLong: isLong, atSeconds: time)
        }
    }

    private static func result(of frame: FirmwareFrame, side: Int) -> Result {
        var result = Result(captures: captures(side: side))
        for capture in 0..<captures(side: side) {
            if let reference = frame.reference, reference.count >= (capture + 1) * bins {
                for bin in 0..<bins { result.counts[capture * channels * bins + bin] = UInt32(reference[capture * bins + bin]) }
            }
            for channel in 1...(side == 3 ? 9 : 8) {
                let zone = zone(side: side, capture: capture, channel: channel)
                for bin in 0..<min(bins, frame.bins) {
                    result.counts[(capture * channels + channel) * bins + bin] = UInt32(frame.histogram[zone * frame.bins + bin])
                }
                result.distanceMm[capture * 9 + channel - 1] = frame.distanceMm[zone]
                result.confidence[capture * 9 + channel - 1] = frame.confidence?[zone] ?? (frame.distanceMm[zone] > 0 ? 255 : 0)
            }
        }
        result.temperature = frame.temperatureC ?? result.temperature
        return result
    }

    private mutating func measure(
        _ wall: Wall, side: Int, _ setting: TMF882xFirmware.Setting, view: (x: Double, y: Double), isLong: Bool, atSeconds time: Double
    ) -> Result {
        let scale = Double(setting.kIterations) / 4_000
        let optics = Optics(binPs: isLong ? 236.08 : 90.8)
        var result = Result(captures: Self.captures(side: side))
        for capture in 0..<Self.captures(side: side) {
            fill(&result.counts, capture, 0, ambient: 4 * scale, [(optics.offset, 57_000 * scale)], optics)
            for channel in 1...(side == 3 ? 9 : 8) {
                let zone = Self.zone(side: side, capture: capture, channel: channel)
                let light = wall.light(
                    tanX: Self.tangent(zone % side, of: side, view.x), tanY: Self.tangent(zone / side, of: side, view.y),
                    patch: patches[zone], atSeconds: time)
                var pulses = [(optics.bin(ofM: light.radialM), light.peak * 0.62 * scale)]
                if let echo = light.echo { pulses.append((optics.bin(ofM: echo.radialM), echo.peak * 0.62 * scale)) }
                fill(&result.counts, capture, channel, ambient: light.ambient * 0.07 * scale, pulses, optics)
                let sight = see(pulses[0], radialM: light.radialM, ambient: light.ambient * 0.07 * scale)
                result.distanceMm[capture * 9 + channel - 1] = sight.mm
                result.confidence[capture * 9 + channel - 1] = sight.confidence
            }
        }
        return result
    }

    /// What the sensor's own algorithm makes of a pulse: nothing where it drowns, or lies behind the last bin.
    private mutating func see(_ pulse: (bin: Double, peak: Double), radialM: Double, ambient: Double) -> (mm: Int64, confidence: Int64) {
        let certainty = pulse.peak / (ambient + pulse.peak + 1).squareRoot()
        guard certainty > 6, pulse.bin < Double(Self.bins - 2) else { return (0, 0) }
        let deviation = max(1, 60 / certainty)
        let mm = (radialM * 1_000 + deviation * random.noise()).rounded()
        return (max(0, Int64(mm)), min(255, Int64(certainty * 4)))
    }

    private mutating func fill(
        _ counts: inout [UInt32], _ capture: Int, _ channel: Int, ambient: Double, _ pulses: [(bin: Double, peak: Double)],
        _ optics: Optics
    ) {
        let start = (capture * Self.channels + channel) * Self.bins
        for bin in 0..<Self.bins {
            var mean = ambient
            for pulse in pulses {
                let away = (Double(bin) + 0.5 - pulse.bin) / optics.sigma
                if abs(away) < 6 { mean += pulse.peak * exp(-0.5 * away * away) }
            }
            counts[start + bin] = UInt32(max(0, mean + mean.squareRoot() * random.noise()).rounded())
        }
    }

    private static func tangent(_ index: Int, of side: Int, _ degrees: Double) -> Double {
        tan(((Double(index) + 0.5) / Double(side) - 0.5) * degrees * .pi / 180)
    }

    private struct Optics {
        let binPs: Double
        /// Where no way at all is, bins: the reference's peak.
        var offset: Double { 13.25 * 90.8 / binPs }
        var sigma: Double { 1.3 * 90.8 / binPs + 0.3 }

        func bin(ofM radialM: Double) -> Double { offset + radialM * 2 / 299_792_458 * 1e12 / binPs }
    }
}

extension TMF882xModel.Result {
    fileprivate init(captures: Int) {
        counts = Array(repeating: 0, count: captures * TMF882xModel.channels * TMF882xModel.bins)
        distanceMm = Array(repeating: 0, count: captures * 9)
        confidence = Array(repeating: 0, count: captures * 9)
    }
}
