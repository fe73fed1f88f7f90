import Foundation
import NLOSCore
import Testing

@testable import TransientSensor

/// Files that were cut, damaged or made to do harm.
@Suite struct HostileCaptureTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Cut anywhere, every whole record before the cut comes back, and nothing else.
    @Test func aRecordingCutAnywhereGivesItsWholeRecords() throws {
        let hand = HandClock()
        var recorder = try PcapRecorder(file: folder.file("whole.pcap"), device: .nucleo, origin: .live, clocks: hand.clocks)
        var pieces: [[UInt8]] = []
        for size in [1, 16, 7, 64] {
            pieces.append((0..<size).map { UInt8(size + $0) })
            pieces.last?.withUnsafeBytes { recorder.received($0, at: .now(hand.clocks)) }
        }
        #expect(recorder.finish().complete)
        let whole = try contents(folder.file("whole.pcap"))
        // 24 of the file, then records of 16 + 64 + payload; the descriptor's exchange is two of them.
        var ends = [24, 24 + 80, 24 + 80 + 98]
        for piece in pieces { ends.append(ends.last! + 80 + piece.count) }
        #expect(ends.last == whole.count)

        for cut in 0...whole.count {
            let path = try folder.holding(Array(whole[..<cut]))
            let expected = Array(pieces.prefix(max(0, ends.filter { $0 <= cut }.count - 3)))
            do throws(SensorError) {
                let replay = try replay(path)
                let played = play(replay)
                #expect(played.pieces == expected, "cut at \(cut)")
                #expect(played.failure == nil, "cut at \(cut)")
                #expect(replay.isTorn == !ends.contains(cut), "cut at \(cut)")
            } catch {
                #expect(expected.isEmpty, "cut at \(cut): \(error)")
                guard case .badRecording(path, _) = error else {
                    Issue.record("cut at \(cut): \(error)")
                    continue
                }
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let why: String
        let bytes: [UInt8]

        init(_ name: String, _ file: CaptureFile, why: String, _ change: (inout CaptureFile) -> Void = { _ in }) {
            var file = file
            change(&file)
            (testDescription, self.why, bytes) = (name, why, file.bytes)
        }

        init(_ name: String, bytes: [UInt8], why: String) { (testDescription, self.bytes, self.why) = (name, bytes, why) }
    }

    static let rows = [
        Row("empty", bytes: [], why: "not a capture"),
        Row("text", bytes: Array("{\"schema\":\"ruview.nlos.transient.v1\"}".utf8), why: "not a capture"),
        Row("escape codes", bytes: Array("\u{1b}]0;x\u{07}".utf8), why: "not a capture"),
        Row("network capture", CaptureFile(linkType: 1), why: "link type 1,"),
        Row("USB of another system", CaptureFile(linkType: 249), why: "link type 249,"),
        Row("no event", CaptureFile(), why: "no device sends anything"),
        Row("huge snapshot", CaptureFile(snapshot: 2_000_000), why: "larger than 1048576 bytes"),
        Row("snapshot of all ones", CaptureFile(snapshot: .max), why: "no device sends anything"),
        Row("snapshot of nothing", CaptureFile(snapshot: 0), why: "no device sends anything"),
        Row("only submissions", CaptureFile(), why: "no device sends anything") { $0.event("S", data: [1, 2]) },
        Row("only errors", CaptureFile(), why: "no device sends anything") { $0.event("E", status: -32) },
        Row("unknown event", CaptureFile(), why: "no device sends anything") { $0.event("X", data: [1]) },
        Row("unknown transfer", CaptureFile(), why: "no device sends anything") { $0.event(transfer: 200, data: [1]) },
        Row("record of 2 GiB", CaptureFile(), why: "invalid packet capture length 2147483647") {
            $0.event(data: [1], captured: 0x7fff_ffff)
        },
        Row("record of all ones", CaptureFile(), why: "invalid packet capture length 4294967295") { $0.event(data: [1], captured: .max) },
    ]

    @Test(arguments: rows) func isRefusedWithASentence(row: Row) throws {
        let path = try folder.holding(row.bytes)
        let failure = #expect(throws: SensorError.self) { _ = try replay(path) }
        guard case .badRecording(path, let why) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(why.contains(row.why), "\(why)")
        #expect(why.utf8.allSatisfy { (0x20...0x7e).contains($0) })
    }

    /// A record that says more of itself than it has: only what is there is taken.
    @Test(arguments: [(0, 0), (2, 2), (3, 3), (4, 3), (1000, 3), (UInt32.max, 3)])
    func aRecordThatLiesAboutItsSize(declared: UInt32, taken: Int) throws {
        var file = CaptureFile()
        file.event(data: [1, 2, 3], length: 3, declared: declared)
        file.event(data: [4])
        #expect(try play(file: folder.holding(file.bytes)).bytes == [1, 2, 3].prefix(taken) + [4])
    }

    @Test(arguments: 0..<64 as Range<UInt32>)
    func aRecordTooShortForItsHeader(size: UInt32) throws {
        var file = CaptureFile()
        file.event(data: [1])
        var short = CaptureFile()
        short.event(data: [2], captured: size)
        file.add(Array(short.bytes[24..<40 + Int(size)]))
        file.event(data: [3])
        #expect(try play(file: folder.holding(file.bytes)).bytes == [1, 3])
    }

    /// What came before the damage is played, and the damage is said when it is reached.
    @Test func damageInTheMiddle() throws {
        var file = CaptureFile()
        file.event(data: [1, 2, 3])
        file.event(data: [4], captured: 0x7fff_fff0)
        let path = try folder.holding(file.bytes)
        let played = try play(file: path)
        #expect(played.bytes == [1, 2, 3])
        guard case .badRecording(path, _) = played.failure else {
            Issue.record("\(String(describing: played.failure))")
            return
        }
    }

    @Test func moreDevicesThanABusHas() throws {
        var file = CaptureFile()
        for bus in 1...1100 as ClosedRange<UInt16> { file.event(bus: bus, data: [1]) }
        let path = try folder.holding(file.bytes)
        #expect(throws: SensorError.badRecording(file: path, why: "it holds more than 1024 devices")) { _ = try replay(path) }
    }

    @Test func whatIsNoFile() throws {
        #expect(throws: SensorError.system(path: folder.file("none"), operation: "open", errno: ENOENT)) {
            _ = try replay(folder.file("none"))
        }
        #expect(throws: SensorError.badRecording(file: folder.path, why: "it is not a regular file")) { _ = try replay(folder.path) }
        #expect(throws: SensorError.badRecording(file: "/dev/zero", why: "it is not a regular file")) { _ = try replay("/dev/zero") }
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: SensorError.badRecording(file: pipe, why: "it is not a regular file")) { _ = try replay(pipe) }
    }
}
