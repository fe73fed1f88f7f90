import Testing

@testable import TransientSensor

private let original = (0..<200_000).map { $0 % 11 == 10 ? UInt8(ascii: "\n") : UInt8(ascii: "0") + UInt8($0 % 10) }

/// What comes out, and the sizes of the pieces it came in.
private func pass(
    _ faults: [String], seed: UInt64 = 1, chunk: Int = 997, bytes: [UInt8] = original
) throws -> (bytes: [UInt8], pieces: [Int], line: FaultyLine) {
    var line = FaultyLine(try FaultSwitches(faults).line, seed: seed)
    var out: [UInt8] = []
    var pieces: [Int] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
        bytes[start..<min(start + chunk, bytes.count)].withUnsafeBytes { part in
            line.pass(part) {
                out.append(contentsOf: $0)
                pieces.append($0.count)
            }
        }
    }
    return (out, pieces, line)
}

struct FaultyLineTests {
    @Test func aLineWithoutFaultsChangesNothing() throws {
        let passed = try pass([])
        #expect(passed.bytes == original)
        #expect(passed.line.bytesOut == UInt64(original.count))
    }

    @Test(arguments: [
        ["byte-loss=0.01"], ["burst-loss=0.0005"], ["duplicate-packet=0.01"], ["nul-bytes=0.01"], ["ff-bytes=0.01"], ["wrong-rate"],
        ["endless-line=1000"], ["unplug-after=12345"], ["byte-loss=0.01", "nul-bytes=0.01", "duplicate-packet=0.1", "unplug-after=99999"],
    ])
    func theDamageDependsOnTheSeedAndNotOnThePieces(faults: [String]) throws {
        let bytes = try pass(faults).bytes
        #expect(bytes != original)
        #expect(try pass(faults, chunk: 1).bytes == bytes)
        #expect(try pass(faults, chunk: original.count).bytes == bytes)
        if faults.contains(where: { $0.contains("=0.") }) { #expect(try pass(faults, seed: 2).bytes != bytes) }
    }

    @Test func bytesVanishAtTheirRate() throws {
        let lost = original.count - (try pass(["byte-loss=0.01"]).bytes.count)
        #expect((1700...2300).contains(lost))
        #expect(try pass(["byte-loss=1"]).bytes.isEmpty)
    }

    @Test func burstsVanishWhole() throws {
        let once = try pass(["burst-loss=1"], bytes: Array(original.prefix(16)))
        #expect(once.bytes.isEmpty)
        var random = SeededGenerator(seed: 3)
        let sent = (0..<100_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let passed = try pass(["burst-loss=0.0001"], bytes: sent).bytes
        // What is left is what was sent with some holes; a hole is over where the next eight bytes fit again.
        var holes: [Int] = []
        var position = 0
        for index in passed.indices {
            guard sent[position] != passed[index] else {
                position += 1
                continue
            }
            let rest = passed[index...].prefix(8)
            let next = try #require((position..<sent.count).first { sent[$0...].starts(with: rest) })
            holes.append(next - position)
            position = next + 1
        }
        #expect((3...30).contains(holes.count))
        // A byte at either edge may fit by chance.
        #expect(holes.allSatisfy { (13...1100).contains($0) }, "\(holes)")
    }

    @Test func everyPacketOfSixteenMayComeTwice() throws {
        let passed = try pass(["duplicate-packet=1"], bytes: Array(original.prefix(64))).bytes
        let expected = stride(from: 0, to: 64, by: 16).flatMap { start in
            [original[start..<start + 16], original[start..<start + 16]].joined()
        }
        #expect(passed == expected)
    }

    @Test(arguments: [("nul-bytes=0.02", UInt8(0)), ("ff-bytes=0.02", 0xff)])
    func foreignBytesComeBetween(fault: String, byte: UInt8) throws {
        let passed = try pass([fault]).bytes
        #expect((3500...4500).contains(passed.count { $0 == byte }))
        #expect(passed.filter { $0 != byte } == original)
    }

    @Test func aWrongRateLeavesOnlyTheLength() throws {
        let passed = try pass(["wrong-rate"]).bytes
        #expect(passed.count == original.count)
        #expect(Set(passed).count == 256)
    }

    @Test func aLineCanBeEndless() throws {
        let passed = try pass(["endless-line=1000"]).bytes
        #expect(passed.prefix(1000) == original.prefix(1000))
        #expect(!passed.dropFirst(1000).contains(UInt8(ascii: "\n")))
        #expect(passed.count > 150_000)
    }

    @Test(arguments: [0, 1, 996, 997, 998, 12_345])
    func theDeviceGoesAwayAfterExactlySoManyBytes(limit: Int) throws {
        let passed = try pass(["unplug-after=\(limit)"])
        #expect(passed.bytes == Array(original.prefix(limit)))
        #expect(passed.line.isUnplugged)
        #expect(!(try pass(["unplug-after=\(original.count + 1)"]).line.isUnplugged))
    }

    @Test(arguments: ["piece=1", "piece=16", "piece=3-8", "piece=512"])
    func bytesComeInPieces(fault: String) throws {
        let passed = try pass([fault, "byte-loss=0"])
        #expect(passed.bytes == original)
        let sizes = try #require(try FaultSwitches([fault]).line.pieceBytes)
        #expect(passed.pieces.allSatisfy { $0 <= sizes.upperBound })
        #expect(passed.pieces.contains(sizes.lowerBound))
        if sizes.count > 1 { #expect(Set(passed.pieces.filter(sizes.contains)).count == sizes.count) }
    }
}
