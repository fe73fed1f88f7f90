import NLOSCore
import Testing

@testable import TransientSensor

/// The session on an emulated board, in the board's own time.
@Suite struct MiniTofSessionTests {
    @Test(arguments: [Joining.atReset, .midStream], SimulatedScene.all.map(\.name))
    func aStreamIsTaken(joining: Joining, scene: String) throws {
        var talk = try MiniTofTalk(scene: .named(scene), joining: joining)
        talk.run(seconds: 20, enough: 50)
        #expect(talk.failure == nil && talk.frames.count == 50)
        #expect(talk.frames.allSatisfy { $0.zones == 64 && $0.bins == 12 && $0.distanceMm.isEmpty })
        #expect(talk.faults.isEmpty && talk.gaps.isEmpty && talk.sent.isEmpty)
        #expect(talk.session.timing == BinTiming(binWidthPs: 2_000, startBin: 0, basis: .assumed))
        #expect(talk.notices.count == 1)
        #expect(talk.session.firmwareVersion == (joining == .atReset ? SafeLabel(EmulatedMiniTof.version) : nil))
        // The rate that the profile states is about what the bus and the line leave over.
        let seconds = Double(talk.frames[49].arrival.monotonicNs - talk.frames[0].arrival.monotonicNs) / 1e9
        #expect(abs(49 / seconds - SensorProfile.miniTof.nominalHz) < 1)
    }

    @Test(arguments: [
        (["mini-no-ambient"], FrameShape(zones: 64, bins: 12), false), (["mini-bins=16"], FrameShape(zones: 64, bins: 16), false),
        (["mini-metadata=distances"], FrameShape(zones: 64, bins: 12), true), (["mini-metadata"], FrameShape(zones: 64, bins: 12), true),
        (["mini-metadata=cycle"], FrameShape(zones: 64, bins: 48), true),
        (["mini-metadata=cycle", "mini-no-ambient"], FrameShape(zones: 64, bins: 48), true),
    ])
    func everyVariantIsLearned(faults: [String], shape: FrameShape, hasDistances: Bool) throws {
        var talk = try MiniTofTalk(faults)
        talk.run(seconds: 30, enough: 10)
        #expect(talk.failure == nil && talk.frames.count == 10 && talk.faults.isEmpty)
        #expect(talk.session.shape == shape && talk.frames.allSatisfy { $0.shape == shape })
        for frame in talk.frames {
            #expect(frame.distanceMm.isEmpty != hasDistances)
            if hasDistances { #expect(frame.distanceMm.allSatisfy { (1_000...1_400).contains($0) }) }
            #expect(frame.ambient.allSatisfy { $0 == 0 } == faults.contains("mini-no-ambient"))
        }
        #expect(talk.session.timing?.startBin == 0 && talk.session.timing?.basis == .assumed)
    }

    /// The peak of the joined histogram is where the wall is: 2 x 1.2 m of light's way.
    @Test func theCyclesPeakIsAtTheWall() throws {
        var talk = try MiniTofTalk(["mini-metadata=cycle", "mini-true-values"])
        talk.run(seconds: 30, enough: 10)
        for frame in talk.frames {
            for zone in 0..<64 {
                let bins = frame.histogram[zone * 48..<(zone + 1) * 48].dropFirst(16)
                let peak = bins.indices.max { bins[$0] < bins[$1] }! - zone * 48
                #expect(abs(Double(peak) * 37.5 - Double(frame.distanceMm[zone])) < 170)
            }
        }
    }

    /// The firmware's own fault: half of the cc-hardware firmware's values, and small ones with the other sign.
    @Test func valuesAreHalvedAndSmallOnesTurned() throws {
        var plain = try MiniTofTalk()
        var mended = try MiniTofTalk(["mini-true-values"])
        plain.run(seconds: 5, enough: 5)
        mended.run(seconds: 5, enough: 5)
        for (sent, meant) in zip(plain.frames, mended.frames) {
            for (sent, meant) in zip(sent.histogram + sent.ambient, meant.histogram + meant.ambient) {
                #expect(abs(sent - (abs(meant) < 2_000 ? -meant / 2 : meant / 2)) <= 1)
            }
        }
        #expect(plain.frames.contains { $0.histogram.contains { $0 < 0 } })
    }

    @Test func recordedFramesComeNumberByNumber() throws {
        let layout = MiniTofLayout(zones: 64, values: 18)
        let frames = (0..<4).map { MiniTofBytes.frame($0, layout) }
        var talk = try MiniTofTalk(scene: .recorded(frames), joining: .atReset)
        talk.run(seconds: 10, enough: 4)
        #expect(talk.frames.map { $0.arrived(at(0)) } == frames)
    }

    @Test(arguments: ["not-detected", "loading-failed"])
    func aSensorThatCannotBeUsedEndsTheSession(fault: String) throws {
        var talk = try MiniTofTalk([fault])
        talk.run(seconds: 30)
        guard case .sensorMissing? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
    }

    @Test(arguments: ["wrong-sensor", "silence-after=3", "delay=3600"])
    func silenceIsNamed(fault: String) throws {
        var talk = try MiniTofTalk([fault])
        talk.run(seconds: 60)
        guard case .silent? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
        #expect(talk.gaps == (talk.frames.isEmpty ? [] : [.silence]))
    }

    /// The line rate is right and the parity is not: half of the bytes are bent, and nothing says which.
    @Test(arguments: [LineCoding(baud: 921_600), LineCoding(baud: 115_200, parity: .odd)])
    func aWrongLineCodingIsNamed(coding: LineCoding) throws {
        var talk = try MiniTofTalk()
        talk.change { $0.firmware.setLineCoding(coding) }
        talk.run(seconds: 60)
        guard case .unreadable(_, _, 921_600)? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
        #expect(talk.frames.isEmpty)
    }

    @Test(arguments: ["mini-metadata=cycle", "mini-bins=16"])
    func aRestartIsAGap(variant: String) throws {
        var talk = try MiniTofTalk(["reset-after=40", variant])
        talk.run(seconds: 40)
        #expect(talk.failure == nil && talk.frames.count > 20)
        // While the board loads its sensor it says nothing, for more than a second.
        #expect(talk.gaps.count { $0 == .boardReset } >= 3 && talk.gaps.allSatisfy { $0 == .boardReset || $0 == .silence })
        #expect(talk.faults.allSatisfy { $0 == .damagedByReset })
    }

    /// The button, and the rise of DTR on a board with an auto-reset circuit.
    @Test func theBoardIsReset() throws {
        var talk = try MiniTofTalk()
        talk.run(seconds: 2)
        let now = talk.nowNs
        talk.change { $0.firmware.setDTR(true, atNs: now) }
        talk.run(seconds: 4)
        let again = talk.nowNs
        talk.change { $0.firmware.setDTR(true, atNs: again) }
        talk.run(seconds: 2)
        #expect(talk.gaps.count { $0 == .boardReset } == 1 && talk.failure == nil)
        #expect(talk.session.firmwareVersion == SafeLabel(EmulatedMiniTof.version))
    }

    @Test func aMarkAcrossTwoValuesCostsItsFrame() throws {
        var talk = try MiniTofTalk(["mini-straddle=5"])
        talk.run(seconds: 20, enough: 60)
        #expect(talk.frames.count == 60)
        #expect((14...16).contains(talk.faults.count) && talk.faults.allSatisfy { $0 == .notANumber })
    }

    /// Whatever the line does, what comes out are frames that the board has sent.
    @Test(
        arguments: [
            "byte-loss=0.00005", "nul-bytes=0.00005", "ff-bytes=0.00005", "burst-loss=0.00003", "duplicate-packet=0.0005", "piece=1-64",
        ], ["mini-bins=12", "mini-metadata=cycle"])
    func damageNeverMakesAnotherFrame(fault: String, variant: String) throws {
        var whole = try MiniTofTalk([variant])
        // Long enough for the cycle in which the other one ends.
        whole.run(seconds: 24)
        var talk = try MiniTofTalk([fault, variant])
        talk.run(seconds: 20)
        #expect(talk.failure == nil && talk.frames.count > (variant == "mini-bins=12" ? 100 : 4), "\(talk.frames.count)")
        // Each window of each zone is one that was sent; a cycle may be seen to begin with another window.
        let sent = Set(whole.frames.flatMap(windows))
        #expect(talk.frames.allSatisfy { windows($0).allSatisfy(sent.contains) })
        if fault.hasPrefix("piece") {
            #expect(talk.faults.isEmpty && talk.session.counters.bytesSkipped < 16_000)
        } else {
            #expect(talk.session.counters.rejected.values.reduce(0, +) == UInt64(talk.faults.count) && !talk.faults.isEmpty)
        }
    }

    private func windows(_ frame: FirmwareFrame) -> [[Int64]] {
        let width = frame.bins == 48 ? 16 : frame.bins
        return stride(from: 0, to: frame.histogram.count, by: width).map { Array(frame.histogram[$0..<$0 + width]) }
    }

    /// What can be wrong with the numbers of any board is wrong with this one's too.
    @Test func theNumbersAreSpoiledAsAsked() throws {
        var talk = try MiniTofTalk([
            "mini-metadata", "mini-true-values", "frozen-frame=5", "no-distance", "brighter-after=20", "overflow-bin=9",
        ])
        talk.run(seconds: 10, enough: 40)
        let frames = talk.frames
        #expect(frames.count == 40 && frames.allSatisfy { $0.distanceMm.allSatisfy { $0 == 0 } })
        #expect((7...9).contains(zip(frames, frames.dropFirst()).count { $0.histogram == $1.histogram }))
        #expect(frames.contains { $0.histogram.contains { $0 > 65_535 } })
        let ambient = frames.map { $0.ambient.reduce(0, +) }
        #expect(ambient[39] > 10 * ambient[0])
    }

    @Test func garbageIsNamed() throws {
        var talk = try MiniTofTalk(["wrong-rate"])
        talk.run(seconds: 60)
        guard case .unreadable? = talk.failure else {
            Issue.record("\(String(describing: talk.failure))")
            return
        }
    }

    /// A stream that changes under the session: its frames would be labelled with the wrong bins.
    @Test(arguments: [
        MiniTofBytes.stream(4..<20, MiniTofLayout(zones: 16, values: 8)),
        (4..<20).flatMap { MiniTofBytes.bytes(MiniTofBytes.frame($0, movable), movable, start: 46) },
    ])
    func anotherStreamEndsTheSession(bytes: [UInt8]) {
        let isMovable = bytes.count > 16 * 16 * 40
        let first = (0..<5).flatMap {
            isMovable
                ? MiniTofBytes.bytes(MiniTofBytes.frame($0, Self.movable), Self.movable, start: 30) : MiniTofBytes.stream($0..<$0 + 1)
        }
        var session = MiniTofSession(at: SessionPlace(path: "usb:1-4"))
        var outputs: [SessionOutput] = []
        session.start(nowNs: 0) { outputs.append($0) }
        (first + bytes).withUnsafeBytes { session.push($0, at(0)) { outputs.append($0) } }
        guard case .failed(.unsupportedShape)? = outputs.last else {
            Issue.record("\(String(describing: outputs.last))")
            return
        }
    }

    private static let movable = MiniTofLayout(zones: 16, values: 18, metadata: .full)

    /// What a recording holds may pause as long as it did.
    @Test func aRecordingMayPause() {
        var session = MiniTofSession(at: SessionPlace(path: "file", isRecorded: true))
        var outputs: [SessionOutput] = []
        session.start(nowNs: 0) { outputs.append($0) }
        MiniTofBytes.stream(0..<3).withUnsafeBytes { session.push($0, at(0)) { outputs.append($0) } }
        session.tick(nowNs: 3_600_000_000_000) { outputs.append($0) }
        MiniTofBytes.stream(3..<5).withUnsafeBytes { session.push($0, at(3_600_000)) { outputs.append($0) } }
        session.finish { outputs.append($0) }
        let frames = outputs.count { if case .frame = $0 { true } else { false } }
        #expect(frames == 5)
        #expect(!outputs.contains { if case .failed = $0 { true } else { false } })
    }
}
