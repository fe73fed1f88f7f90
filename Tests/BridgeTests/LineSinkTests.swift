import CLinux
import Foundation
import Testing

@testable import bridge

/// A named pipe with the test as its reader, which reads only when it wants to.
private final class Reader {
    let path: String
    private var descriptor: CInt

    init() throws {
        // A reader that has left is an error to see, not a signal.
        signal(SIGPIPE, SIG_IGN)
        path = FileManager.default.temporaryDirectory.appending(path: "nlos-pipe-\(UUID().uuidString)").path(percentEncoded: false)
        guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EIO) }
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }

    deinit {
        goAway()
        unlink(path)
    }

    func goAway() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }

    func read(_ most: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < most {
            let count = Foundation.read(descriptor, &buffer, min(buffer.count, most - bytes.count))
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}

@Suite struct LineSinkTests {
    private func digest(_ bytes: [UInt8]) -> String {
        let digest = SHA256()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }

    private func line(_ number: Int, length: Int = 1_000) -> [UInt8] {
        Array("\(number) ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: length)
    }

    @Test func digestsOfNothingAndOfALine() throws {
        #expect(digest([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let reader = try Reader()
        let sink = try LineSink.file(reader.path, replacing: true)
        #expect(sink.append(Array("abc".utf8)))
        #expect(reader.read() == Array("abc\n".utf8))
        #expect(sink.linesWritten == 1)
        // printf 'abc\n' | sha256sum
        #expect(sink.finish() == "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb")
    }

    /// Whatever the reader takes at a time, it gets every line that was accepted, whole and in order.
    @Test(arguments: [1, 100, 4_095, 4_096, 4_097, 65_536]) func everyAcceptedLineArrives(step: Int) throws {
        let reader = try Reader()
        let sink = try LineSink.file(reader.path, replacing: true, limit: 100_000)
        var accepted: [UInt8] = []
        var got: [UInt8] = []
        var refused = 0
        for number in 0..<2_000 {
            if sink.append(line(number)) { accepted += line(number) + [UInt8(ascii: "\n")] } else { refused += 1 }
            if number % 2 == 0 { got += reader.read(step) }
            sink.flush()
        }
        #expect(sink.state == .open)
        #expect((refused > 0) == (step < 1_000))
        while sink.hasBacklog {
            got += reader.read()
            sink.flush()
        }
        got += reader.read()
        #expect(got == accepted)
        #expect(sink.linesWritten == UInt64(2_000 - refused))
        #expect(sink.finish() == digest(accepted))
    }

    @Test func theBacklogIsBoundedAndALineIsRefusedWhole() throws {
        let reader = try Reader()
        let sink = try LineSink.file(reader.path, replacing: true, limit: 10_000)
        var taken = 0
        while sink.append(line(taken)) { taken += 1 }
        #expect(sink.wantsPause)
        #expect(sink.state == .open)
        // The pipe's own 64 KiB and the limit, and no more.
        #expect((taken + 1) * 1_000 < 65_536 + 12_000)
        // A line of any length is taken when nothing waits.
        while sink.hasBacklog {
            _ = reader.read()
            sink.flush()
        }
        #expect(!sink.wantsPause)
        #expect(sink.append(line(0, length: 20_000)))
    }

    /// The digest is of whole lines, so a line that the reader left in the middle of is not in it.
    @Test func aReaderThatLeaves() throws {
        let reader = try Reader()
        let sink = try LineSink.file(reader.path, replacing: true, limit: 200_000)
        for number in 0..<100 { #expect(sink.append(line(number))) }
        let arrived = Int(sink.linesWritten)
        reader.goAway()
        sink.flush()
        #expect(sink.state == .closed)
        #expect(!sink.append(line(100)))
        #expect(sink.linesWritten == UInt64(arrived))
        #expect(sink.finish() == digest((0..<arrived).flatMap { line($0) + [UInt8(ascii: "\n")] }))
    }

    @Test func aFullDeviceIsNamed() throws {
        let sink = try LineSink.file("/dev/full", replacing: true)
        #expect(!sink.append(line(0)) || sink.state != .open)
        #expect(sink.state == .failed(SystemFailure(operation: "write", errno: ENOSPC)))
        #expect(sink.linesWritten == 0)
        #expect(sink.finish() == digest([]))
    }

    @Test func aFileIsNewOrReplacedOnPurposeAndLocked() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "nlos-sink-\(UUID().uuidString)").path(percentEncoded: false)
        defer { unlink(path) }
        let first = try LineSink.file(path, replacing: false)
        #expect(first.append(Array("old".utf8)))
        #expect(throws: SystemFailure(operation: "create", errno: EEXIST)) { try LineSink.file(path, replacing: false) }
        #expect(throws: SystemFailure(operation: "lock", errno: EWOULDBLOCK)) { try LineSink.file(path, replacing: true) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old\n")
        #expect(throws: SystemFailure(operation: "create", errno: ENOENT)) { try LineSink.file("/no/folder/file", replacing: false) }
    }
}
