import TransientSensor

/// The firmware's own text, made for tests.
enum FirmwareText {
    static let banner = "\n\nVL53LMZ CC Hardware Driver\n\n"
    static let ready = "VL53LMZ ULD ready! (Version: VL53LMZ_2.0.10)\n"
    static let notDetected = "VL53LMZ not detected at requested address\n"

    static func applied(zones: Int) -> String {
        "Applying sensor configuration...\nResolution: \(zones)\nSensor configuration applied and ranging started.\n"
    }

    /// Values that differ in every row, bin and frame, with widths, signs and zeros as the sensor prints them.
    static func values(frame: Int, zones: Int, bins: Int) -> FirmwareFrame {
        let spread: (Int) -> Int64 = { seed in
            let mixed = Int64((seed &* 2_654_435_761) >> 7 & 0x7fff)
            return [mixed, mixed / 10, -mixed / 17, mixed / 100, 0, -mixed / 300][seed % 6]
        }
        return FirmwareFrame(
            bins: bins, ambient: (0..<zones).map { spread($0 + frame * 7 + 3) },
            distanceMm: (0..<zones).map { 1_000 + Int64($0 * 3 + frame) },
            histogram: (0..<(zones * bins)).map { spread($0 + frame * 31 + 1) }, arrival: at(0))
    }

    static func text(_ frame: FirmwareFrame) -> String {
        var text = "D\n"
        for zone in 0..<frame.zones {
            let bins = frame.histogram[(zone * frame.bins)..<((zone + 1) * frame.bins)]
            text += ([Int64(zone), frame.ambient[zone], frame.distanceMm[zone]] + bins).map(String.init).joined(separator: " ") + "\n"
        }
        return text
    }

    static func stream(frames: Range<Int>, zones: Int, bins: Int) -> String {
        frames.map { text(values(frame: $0, zones: zones, bins: bins)) }.joined()
    }
}

/// An arrival at this many milliseconds of the test's own clock.
func at(_ ms: UInt64) -> Arrival { Arrival(monotonicNs: ms * 1_000_000, unixMs: 1_700_000_000_000 + ms) }

extension FirmwareFrame {
    func arrived(_ arrival: Arrival) -> FirmwareFrame {
        FirmwareFrame(bins: bins, ambient: ambient, distanceMm: distanceMm, histogram: histogram, arrival: arrival)
    }
}

extension VL53L8CHDecoder {
    /// All events of a whole stream, pushed in pieces that end at the cuts.
    static func events(of bytes: [UInt8], shape: FrameShape?, cuts: [Int] = []) -> (events: [DecoderEvent], decoder: VL53L8CHDecoder) {
        var decoder = VL53L8CHDecoder(shape: shape)
        var events: [DecoderEvent] = []
        var start = 0
        for end in cuts + [bytes.count] {
            events += decoder.push(Array(bytes[start..<end]), arrival: at(0))
            start = end
        }
        decoder.finish { events.append($0) }
        return (events, decoder)
    }
}

extension [DecoderEvent] {
    var frames: [FirmwareFrame] { compactMap { if case .frame(let frame) = $0 { frame } else { nil } } }
    var faults: [FrameFault] { compactMap { if case .rejected(let fault) = $0 { fault } else { nil } } }
    var lines: [FirmwareLine] { compactMap { if case .log(let line) = $0 { line } else { nil } } }
}
