import NLOSCore
import Testing

@testable import TransientSensor

/// Sessions that bring a configuration into force.
@Suite struct SessionConfigureTests {
    static let asked = VL53L8CHConfiguration(rateHz: 30, startBin: 0, bins: 8, subsample: 16)
    static let boot = FirmwareText.banner + FirmwareText.ready + FirmwareText.applied(zones: 64)
    static let badResolution = "ERROR at process_config(271) : vl53lmz_set_resolution failed : 127\n"
    static let failed = "Error: process_config failed\n"

    /// A board that runs its default hears the whole packet, in pieces.
    private static func afterPacket(asked: VL53L8CHConfiguration = asked) -> Talk {
        var talk = Talk(.configure(asked))
        talk.hear(FirmwareText.text(FirmwareText.values(frame: 0, zones: 64, bins: 18)))
        talk.wait(20)
        return talk
    }

    private static func inForce() -> Talk {
        var talk = afterPacket()
        talk.wait(1_500)
        talk.hear(FirmwareText.applied(zones: 16))
        talk.stream(0..<3, zones: 16, bins: 8)
        return talk
    }

    @Test func packetGoesOutInPieces() {
        var talk = Talk(.configure(Self.asked))
        #expect(talk.sends.isEmpty)
        // A torn beginning is no sign that the board runs; a marker is.
        talk.hear("12 13 14\n3 0")
        #expect(talk.sends.isEmpty)
        talk.hear(" 7\nD\n")
        #expect(talk.sends == [Array(Self.asked.packet[..<8])])
        #expect(talk.session.deadlineNs == 4_000_000)
        talk.wait(3)
        #expect(talk.sends.count == 1)
        talk.wait(9)
        #expect(talk.sends.map(\.count) == [8, 8, 8, 2])
        #expect(talk.sent == Self.asked.packet)
        talk.wait(1_000)
        #expect(talk.sends.count == 4)
    }

    @Test func verifiedByEffect() {
        var talk = Self.afterPacket()
        talk.stream(0..<2, zones: 64, bins: 18)
        talk.wait(1_500)
        #expect(talk.frames.isEmpty && talk.session.timing == nil)
        talk.hear("Applying sensor configuration...\nResolution: 16\n")
        talk.wait(1_000)
        talk.hear("Sensor configuration applied and ranging started.\n")
        let skipped = talk.session.counters.bytesSkipped
        talk.stream(0..<4, zones: 16, bins: 8)
        // The first frame waits for the second one's marker: the shape might be another one that begins alike.
        #expect(talk.frames.map(\.arrival) == [2_820, 2_920, 3_020, 3_120].map(at))
        #expect(talk.faults.isEmpty && talk.failures.isEmpty)
        #expect(talk.session.timing == Self.asked.timing(.configured))
        let old = (0..<2).reduce(FirmwareText.text(FirmwareText.values(frame: 0, zones: 64, bins: 18)).utf8.count) {
            $0 + FirmwareText.text(FirmwareText.values(frame: $1, zones: 64, bins: 18)).utf8.count
        }
        #expect(skipped == UInt64(old) && talk.session.counters.bytesSkipped == skipped)
        #expect(talk.session.counters.framesDecoded == 4 && talk.session.counters.rejected.isEmpty)
    }

    /// The shape of the default and other bins: frames from before look the same and are not ours.
    @Test func sameShapeIsNotEnough() {
        var talk = Self.afterPacket(asked: VL53L8CHConfiguration(grid: .zones8x8, rateHz: 15, startBin: 0, bins: 18, subsample: 2))
        talk.stream(0..<5, zones: 64, bins: 18)
        #expect(talk.frames.isEmpty)
        talk.hear(FirmwareText.applied(zones: 64))
        talk.stream(5..<8, zones: 64, bins: 18)
        #expect(talk.frames.count == 3)
        #expect(talk.frames.first == FirmwareText.values(frame: 5, zones: 64, bins: 18).arrived(talk.frames[0].arrival))
    }

    /// One line of the three may be damaged on the way.
    @Test(arguments: [
        "Applying sensor configuration...\nResolut\u{0}on: 16\nSensor configuration applied and ranging started.\n",
        "Applying sensor configuration...\nResolution: 16\nSensor configuratio\n",
        "Applyin\nResolution: 16\nSensor configuration applied and ranging started.\n",
    ])
    func oneLineDamaged(lines: String) {
        var talk = Self.afterPacket()
        talk.hear(lines)
        talk.stream(0..<5, zones: 16, bins: 8)
        #expect(talk.frames.count >= 4 && talk.failures.isEmpty)
    }

    @Test func otherResolution() {
        var talk = Self.afterPacket()
        talk.wait(1_500)
        talk.hear(FirmwareText.applied(zones: 64))
        #expect(talk.failures == [.configurationRefused(path: "usb:1-4", line: "Resolution: 64")])
        #expect(talk.notices.last?.text == "usb:1-4: the board applied 64 zones, 16 were asked")
    }

    @Test func refusedByALine() {
        var talk = Self.afterPacket()
        let line = "ERROR at process_config(318) : vl53lmz_cnh_calc_required_memory : 127"
        talk.hear(line + "\n" + Self.failed)
        talk.wait(2_000)
        talk.hear(FirmwareText.ready + FirmwareText.applied(zones: 64))
        #expect(talk.failures == [.configurationRefused(path: "usb:1-4", line: line)])
        talk = Self.afterPacket()
        talk.wait(2_000)
        talk.hear(FirmwareText.ready)
        #expect(talk.failures == [.configurationRefused(path: "usb:1-4", line: String(FirmwareText.ready.dropLast()))])
    }

    /// The default is being applied when the session starts: the packet waits for it, and its lines are not taken for ours.
    @Test func boardThatIsStarting() {
        var talk = Talk(.configure(Self.asked))
        talk.hear(FirmwareText.banner + FirmwareText.ready)
        talk.wait(1_200)
        talk.hear("Applying sensor configuration...\nResolution: 64\n")
        talk.wait(1_000)
        talk.hear("Sensor configuration applied and ranging started.\n")
        #expect(talk.sends.isEmpty)
        talk.stream(0..<1, zones: 64, bins: 18)
        talk.wait(20)
        #expect(talk.sent == Self.asked.packet)
        talk.hear(FirmwareText.applied(zones: 16))
        talk.stream(0..<3, zones: 16, bins: 8)
        #expect(talk.frames.count == 3 && talk.failures.isEmpty)
    }

    @Test func silentBoard() {
        var talk = Talk(.configure(Self.asked))
        talk.wait(1_999)
        #expect(talk.sends.isEmpty)
        talk.wait(1)
        #expect(!talk.sends.isEmpty)
        talk.wait(2_999)
        #expect(talk.failures.isEmpty)
        talk.wait(1)
        #expect(talk.failures == [.silent(path: "usb:1-4", seconds: 5)])
    }

    @Test func sensorMissingEndsTheStart() {
        var talk = Self.afterPacket()
        talk.hear(FirmwareText.banner + FirmwareText.notDetected)
        #expect(talk.failures == [.sensorMissing(path: "usb:1-4", line: "VL53LMZ not detected at requested address")])
    }

    @Test func unreadable() {
        var talk = Talk(.configure(Self.asked))
        for _ in 0..<40 {
            talk.hear(Array(repeating: 0x80, count: 100))
            talk.wait(100)
        }
        #expect(talk.failures == [.unreadable(path: "usb:1-4", bytes: 3_000, baud: 2_250_000)])
        #expect(talk.sends.isEmpty)
    }

    // MARK: Out of step

    /// No word for five seconds and old frames all the while: zeros, one a frame, until the board complains; then once more.
    @Test func realigned() {
        var talk = Self.afterPacket()
        talk.stream(0..<50, zones: 64, bins: 18)
        let zeros = talk.sends.dropFirst(4)
        #expect(!zeros.isEmpty && zeros.allSatisfy { $0 == [0] })
        #expect(talk.notices.count == 1)
        talk.stream(50..<55, zones: 64, bins: 18)
        // The packet is complete: frames stop, and no byte more goes out.
        let count = talk.sends.count
        talk.wait(1_200)
        #expect(talk.sends.count == count)
        talk.hear(Self.badResolution + Self.failed)
        talk.wait(2_000)
        talk.hear(FirmwareText.ready)
        talk.wait(1_200)
        talk.hear(FirmwareText.applied(zones: 64))
        #expect(talk.sends.count == count)
        talk.stream(0..<1, zones: 64, bins: 18)
        talk.wait(20)
        #expect(talk.sends.dropFirst(count).flatMap(\.self) == Self.asked.packet)
        talk.hear(FirmwareText.applied(zones: 16))
        talk.stream(0..<3, zones: 16, bins: 8)
        #expect(talk.frames.count == 3 && talk.failures.isEmpty && talk.faults.isEmpty)
    }

    /// A board that takes every zero and never complains: at most 26 of them.
    @Test func realigningHasAnEnd() {
        var talk = Self.afterPacket()
        talk.stream(0..<100, zones: 64, bins: 18)
        #expect(talk.sends.dropFirst(4).count == 26)
        #expect(talk.failures == [.receiverMisaligned(path: "usb:1-4")])
        // And one that falls silent after a zero ends the session too.
        talk = Self.afterPacket()
        talk.stream(0..<51, zones: 64, bins: 18)
        talk.wait(5_000)
        #expect(talk.failures.count == 1)
    }

    /// Bytes of another program in the receiver: the board reads a resolution out of the middle of the packet.
    @Test(arguments: [badResolution + failed, "Applying sensor configuration...\nResolution: 4161\n" + badResolution + failed])
    func shiftedPacket(words: String) {
        var talk = Self.afterPacket()
        talk.hear(words)
        #expect(talk.failures.isEmpty && talk.notices.count == 1)
        talk.wait(2_000)
        talk.hear(FirmwareText.ready + FirmwareText.applied(zones: 64))
        talk.stream(0..<3, zones: 64, bins: 18)
        #expect(talk.sends.dropFirst(4).allSatisfy { $0 == [0] } && talk.sends.count > 5)
        let count = talk.sends.count
        talk.wait(1_000)
        talk.hear(Self.badResolution + Self.failed)
        talk.wait(2_000)
        talk.hear(FirmwareText.ready + FirmwareText.applied(zones: 64))
        talk.stream(3..<4, zones: 64, bins: 18)
        talk.wait(20)
        #expect(talk.sends.dropFirst(count).flatMap(\.self) == Self.asked.packet)
        // Once more the same answer: this does not help.
        talk.hear(Self.badResolution)
        #expect(talk.failures == [.receiverMisaligned(path: "usb:1-4")])
    }

    // MARK: A configuration that is lost

    @Test(arguments: [boot, FirmwareText.ready + FirmwareText.applied(zones: 64), FirmwareText.applied(zones: 64)])
    func sentAgainAfterARestart(words: String) {
        var talk = Self.inForce()
        let count = talk.sends.count
        talk.hear(words)
        talk.stream(0..<2, zones: 64, bins: 18)
        talk.wait(20)
        #expect(talk.gaps == [.boardReset])
        #expect(talk.notices.last?.text == "usb:1-4: the board lost its configuration; sending it again")
        #expect(talk.sends.dropFirst(count).flatMap(\.self) == Self.asked.packet)
        talk.hear(FirmwareText.applied(zones: 16))
        talk.stream(3..<6, zones: 16, bins: 8)
        #expect(talk.frames.count == 6)
        #expect(talk.failures.isEmpty && talk.faults.isEmpty)
        #expect(talk.session.timing == Self.asked.timing(.configured))
    }

    /// Its words were lost on the line: the shape of the frames tells.
    @Test func sentAgainWhenTheShapeChanges() {
        var talk = Self.inForce()
        let count = talk.sends.count
        talk.stream(0..<5, zones: 64, bins: 18)
        #expect(talk.gaps == [.boardReset])
        #expect(talk.sends.dropFirst(count).flatMap(\.self) == Self.asked.packet)
        #expect(talk.frames.count == 3)
    }

    /// A board that restarts again before the configuration is in force does not come to rest.
    @Test func restartsOnlyOnce() {
        var talk = Self.inForce()
        talk.hear(Self.boot)
        talk.stream(0..<1, zones: 64, bins: 18)
        talk.wait(20)
        talk.hear(Self.boot)
        #expect(talk.failures == [.configurationRefused(path: "usb:1-4", line: "VL53LMZ CC Hardware Driver")])
    }

    /// Somebody pressed the button while the packet was on its way.
    @Test func restartDuringTheStart() {
        var talk = Self.afterPacket()
        let count = talk.sends.count
        talk.hear(Self.boot)
        talk.stream(0..<1, zones: 64, bins: 18)
        talk.wait(20)
        #expect(talk.sends.dropFirst(count).flatMap(\.self) == Self.asked.packet)
        #expect(talk.failures.isEmpty && talk.gaps.isEmpty)
    }

    /// Not even its own configuration comes into force: there is nothing to wait for.
    @Test func boardThatNeverRuns() {
        var talk = Talk(.configure(Self.asked))
        for _ in 0..<6 {
            talk.hear(FirmwareText.ready + "Error: Starting ranging failed: 66\n" + Self.failed)
            talk.wait(2_000)
        }
        #expect(talk.failures == [.sensorMissing(path: "usb:1-4", line: "Error: process_config failed")])
        #expect(talk.sends.isEmpty)
    }
}
