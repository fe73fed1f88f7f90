import Testing

@testable import TransientSensor

/// What the board says when it starts, in front of a stream and in the middle of one.
@Suite struct MiniTofTextTests {
    @Test func theBootLinesAreUnderstood() {
        let (events, decoder) = MiniTofDecoder.events(of: Array(MiniTofBytes.boot.utf8) + MiniTofBytes.stream(0..<2))
        #expect(
            events.lines == [.banner("is_alive: 1"), .ready(version: "VL53LMZ_2.0.2"), .remark("Started ranging")])
        #expect(events.frames.count == 2 && events.faults.isEmpty)
        #expect(decoder.bytesInText == UInt64(MiniTofBytes.boot.utf8.count))
        #expect(decoder.counters.bytesSkipped == 0)
    }

    @Test func otherLinesBehindThemAreRemarks() {
        let text = "is_alive\r\n\r\nI2C at 1 MHz\r\n\u{1b}[2J\nVL53LMZ ULD ready ! (Version : )\n"
        let (events, _) = MiniTofDecoder.events(of: Array(text.utf8))
        #expect(events.lines == [.banner("is_alive"), .remark("I2C at 1 MHz")])
        #expect(MiniTofDecoder.events(of: Array("I2C at 1 MHz\n$GPGGA,1*00\n".utf8)).events.isEmpty)
    }

    @Test(arguments: ["VL53LMZ not detected at requested address", "VL53LMZ ULD Loading failed"])
    func anErrorLineIsFatal(text: String) {
        #expect(MiniTofDecoder.events(of: Array("is_alive\n\(text)\n".utf8)).events.lines.last == .error(text, fatal: true))
    }

    /// The other family's words are none of this one's.
    @Test func theOtherFirmwaresReadyLineIsNoneOfThis() {
        let text =
            FirmwareText.banner + FirmwareText.ready + FirmwareText.applied(zones: 64)
            + FirmwareText.stream(frames: 0..<9, zones: 16, bins: 8)
        #expect(MiniTofDecoder.events(of: Array(text.utf8)).events.isEmpty)
    }

    /// A reset at each byte of a frame: that frame is lost, and the ones before and after are right.
    @Test(arguments: [nil, MiniTofBytes.small])
    func aResetInMidStream(layout: MiniTofLayout?) {
        let cut = MiniTofBytes.stream(3..<4)
        for index in cut.indices {
            let bytes =
                MiniTofBytes.stream(0..<3) + cut.prefix(index) + Array(MiniTofBytes.boot.utf8) + MiniTofBytes.stream(4..<6)
            let (events, decoder) = MiniTofDecoder.events(of: bytes, layout)
            #expect(events.frames == [0, 1, 2, 4, 5].map { MiniTofBytes.frame($0) }, "cut at \(index)")
            // Until its first record is whole, nobody knows that a frame was begun.
            #expect(events.faults == (index < 28 ? [] : [.damagedByReset]), "cut at \(index)")
            #expect(events.lines.count == 3, "cut at \(index)")
            #expect(decoder.counters.bytesSkipped == UInt64(index), "cut at \(index)")
        }
    }

    /// Words are told as soon as their line has ended, not when a record would have.
    @Test func wordsDoNotWaitForARecord() {
        var decoder = MiniTofDecoder(layout: MiniTofLayout(zones: 64, values: 18))
        let cut = MiniTofBytes.stream(0..<1, MiniTofLayout(zones: 64, values: 18)).prefix(76 * 3 + 10)
        #expect(decoder.push(Array(cut), arrival: at(0)).isEmpty)
        let events = decoder.push(Array("is_alive: 1\n".utf8), arrival: at(1))
        #expect(events == [.rejected(.damagedByReset), .log(.banner("is_alive: 1"))])
    }
}
