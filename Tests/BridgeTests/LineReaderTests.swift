import CLinux
import Foundation
import Testing

@testable import bridge

@Suite struct LineReaderTests {
    /// Lines as text; nil stands for one that is too long.
    private func lines(of bytes: [UInt8], longest: Int) throws -> [String?] {
        let file = FileManager.default.temporaryDirectory.appending(path: "nlos-lines-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try all(LineReader(path: file.path(percentEncoded: false), longest: longest))
    }

    private func all(_ reader: LineReader) throws -> [String?] {
        var lines: [String?] = []
        while let line = try reader.next() {
            switch line {
            case .bytes(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
            case .tooLong: lines.append(nil)
            }
        }
        return lines
    }

    @Test(
        arguments: [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\n\nb\n", ["a", "", "b"]),
            ("a\r\nb", ["a\r", "b"]),
            ("1234\n5", ["1234", "5"]), ("12345\n6", [nil, "6"]), ("12345", [nil]), ("12345\n", [nil]), ("12345\n12345", [nil, nil]),
        ] as [(String, [String?])]) func linesOfAtMostFourBytes(text: String, expected: [String?]) throws
    {
        #expect(try lines(of: Array(text.utf8), longest: 4) == expected)
    }

    /// Around the size of the buffer, where a line is split between two reads.
    @Test(arguments: 65_530...65_545) func aLineOverTheEndOfTheBuffer(length: Int) throws {
        let first = [UInt8](repeating: UInt8(ascii: "x"), count: length)
        let found = try lines(of: first + Array("\nabc\n".utf8) + first, longest: 70_000)
        #expect(found.map { $0?.utf8.count } == [length, 3, length])
    }

    @Test func aLongLineIsSkippedAndTheNextIsWhole() throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
        #expect(try lines(of: long + Array("\nabc\n".utf8), longest: 100) == [nil, "abc"])
    }

    @Test func aLineIsReadHoweverSlowlyItComes() async throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let writing = ends[1]
        let reading = ends[0]
        defer { close(reading) }
        let writer = Thread {
            for byte in Array("{\"a\":1}\nsecond".utf8) {
                var byte = byte
                write(writing, &byte, 1)
            }
            close(writing)
        }
        writer.start()
        #expect(try all(LineReader(path: "/proc/self/fd/\(reading)", longest: 64)) == ["{\"a\":1}", "second"])
    }

    @Test func whatIsNotThereIsNamed() {
        #expect(throws: SystemFailure(operation: "open", errno: ENOENT)) { try LineReader(path: "/no/such/file", longest: 4) }
        #expect(throws: SystemFailure(operation: "read", errno: EISDIR)) { try LineReader(path: "/", longest: 4).next() }
    }

    @Test func aWholeFileHasALongestLength() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "nlos-whole-\(UUID().uuidString)")
        try Data("abcd".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try wholeFile(file.path(percentEncoded: false), longest: 4) == Array("abcd".utf8))
        #expect(try wholeFile(file.path(percentEncoded: false), longest: 3) == nil)
        #expect(try firstBytes(of: file.path(percentEncoded: false), count: 2) == Array("ab".utf8))
        #expect(try firstBytes(of: file.path(percentEncoded: false), count: 9) == Array("abcd".utf8))
        // A named pipe without a writer would not even open.
        unlink(file.path(percentEncoded: false))
        try #require(mkfifo(file.path(percentEncoded: false), 0o600) == 0)
        #expect(try firstBytes(of: file.path(percentEncoded: false), count: 4) == [])
    }
}
