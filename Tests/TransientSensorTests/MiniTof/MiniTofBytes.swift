import NLOSCore
import Testing

@testable import TransientSensor

/// The firmware's own bytes, made for tests.
enum MiniTofBytes {
    static let boot = "is_alive: 1\nVL53LMZ ULD ready ! (Version : VL53LMZ_2.0.2)\nStarted ranging\n"
    static let mark: [UInt8] = [0xff, 0xff, 0xff, 0xff]
    /// Few zones and bins: every place of a stream can be damaged in turn.
    static let small = MiniTofLayout(zones: 16, values: 6)

    static func record(_ values: [Float]) -> [UInt8] { values.flatMap(bytes) + mark }

    static func bytes(_ value: Float) -> [UInt8] { withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init) }

    /// What a decoder is to make of frame `number`.
    static func frame(_ number: Int, _ layout: MiniTofLayout = small) -> FirmwareFrame {
        let values = FirmwareText.values(frame: number, zones: layout.zones, bins: layout.bins)
        return FirmwareFrame(
            bins: layout.bins, ambient: layout.hasAmbient ? values.ambient : Array(repeating: 0, count: layout.zones),
            distanceMm: layout.metadata == nil ? [] : values.distanceMm, histogram: values.histogram, arrival: at(0))
    }

    static func stream(_ frames: Range<Int>, _ layout: MiniTofLayout = small) -> [UInt8] {
        frames.flatMap { bytes(frame($0, layout), layout) }
    }

    static func bytes(_ frame: FirmwareFrame, _ layout: MiniTofLayout, sinceMove: Int = 0, start: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        for zone in 0..<frame.zones {
            let bins = frame.histogram[zone * frame.bins..<(zone + 1) * frame.bins].map(MiniTofRecords.float)
            let ambient = layout.hasAmbient ? [MiniTofRecords.float(frame.ambient[zone])] : []
            bytes += record([Float(zone)] + ambient + bins)
        }
        guard let metadata = layout.metadata else { return bytes }
        let deviations = metadata == .full ? Array(repeating: Float(4), count: frame.zones) : []
        let window = metadata.hasWindow ? [Float(sinceMove), Float(start)] : []
        return bytes + record(frame.distanceMm.map { Float($0) } + deviations + window)
    }
}

extension MiniTofDecoder {
    /// All events of a whole stream, pushed in pieces that end at the cuts; every byte is accounted for.
    static func events(
        of bytes: [UInt8], _ layout: MiniTofLayout? = nil, cuts: [Int] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) -> (events: [DecoderEvent], decoder: MiniTofDecoder) {
        var decoder = MiniTofDecoder(layout: layout)
        var events: [DecoderEvent] = []
        var start = 0
        for end in cuts + [bytes.count] {
            events += decoder.push(Array(bytes[start..<end]), arrival: at(0))
            start = end
        }
        decoder.finish { events.append($0) }
        decoder.expectEveryByteCounted(sourceLocation)
        return (events, decoder)
    }

    func expectEveryByteCounted(_ sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(counters.bytesReceived == bytesInFrames + bytesInText + counters.bytesSkipped, sourceLocation: sourceLocation)
    }
}
