import CLinux
import Foundation
import NLOSCore
import Testing

@testable import TrackMonitor

/// What a token is made of, and where it is while the program holds it.
@Suite struct CredentialMemoryTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        /// Nil: it is a token.
        let refusal: TokenRefusal?

        init(_ name: String, _ text: String, _ refusal: TokenRefusal?) { self.init(name, Array(text.utf8), refusal) }
        init(_ name: String, _ bytes: [UInt8], _ refusal: TokenRefusal?) {
            (testDescription, self.bytes, self.refusal) = (name, bytes, refusal)
        }
    }

    private static func word(_ count: Int) -> String { String(repeating: "k", count: count) }

    static let rows: [Row] = [
        Row("nothing", "", .empty), Row("a line feed", "\n", .empty), Row("CRLF", "\r\n", .empty),
        Row("31 bytes", word(31), .tooShort), Row("31 bytes and a line feed", word(31) + "\n", .tooShort),
        Row("32 bytes", word(32), nil), Row("512 bytes", word(512), nil), Row("513 bytes", word(513), .tooLong),
        Row("512 bytes, LF", word(512) + "\n", nil), Row("512 bytes, CRLF", word(512) + "\r\n", nil),
        Row("512 bytes, CRLF, one more", word(512) + "\r\nk", .tooLong), Row("10,000 bytes", word(10_000), .tooLong),
        Row("LF", word(32) + "\n", nil), Row("CRLF", word(32) + "\r\n", nil), Row("CR alone", word(32) + "\r", .character),
        Row("two line feeds", word(32) + "\n\n", .character), Row("a line feed within", word(20) + "\n" + word(20), .character),
        Row("a line feed before", "\n" + word(32), .character), Row("a space behind", word(32) + " ", .character),
        Row("a space within", word(20) + " " + word(20), .character), Row("a tab", word(32) + "\t", .character),
        Row("NUL", Array(word(32).utf8) + [0], .character), Row("é", word(32) + "é", .character),
        Row("0x20", Array(word(31).utf8) + [0x20], .character), Row("0x21", Array(word(31).utf8) + [0x21], nil),
        Row("0x7e", Array(word(31).utf8) + [0x7e], nil), Row("0x7f", Array(word(31).utf8) + [0x7f], .character),
        Row("0xff", Array(word(31).utf8) + [0xff], .character),
    ]

    @Test(arguments: rows) func onlyWhatKeepsTheRuleIsAToken(row: Row) throws {
        guard let refusal = row.refusal else {
            let text = String(decoding: row.bytes, as: UTF8.self)
            return #expect(try token(row.bytes).text == text.trimmingCharacters(in: .newlines))
        }
        #expect(throws: CredentialFailure.notAToken(refusal)) { try token(row.bytes) }
    }

    @Test func bytesThatComeOneByOneAreTheSameToken() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = randomToken()
        var intake = try TokenIntake()
        for byte in text.utf8 {
            try #require(write(ends[1], [byte], 1) == 1)
            let more = try intake.read(from: ends[0])
            #expect(more)
            let complete = intake.endsWithLineFeed
            #expect(!complete)
        }
        try #require(write(ends[1], "\n", 1) == 1)
        let more = try intake.read(from: ends[0])
        #expect(more)
        let complete = intake.endsWithLineFeed
        #expect(complete)
        close(ends[1])
        let evenMore = try intake.read(from: ends[0])
        #expect(!evenMore)
        let token = try intake.token()
        #expect(token.text == text)
    }

    @Test func noMoreThanATokenIsEverRead() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let flood = [UInt8](repeating: UInt8(ascii: "k"), count: 4_096)
        try #require(write(ends[1], flood, flood.count) == flood.count)
        // The writer does not end: enough is enough.
        #expect(throws: CredentialFailure.notAToken(.tooLong)) { try PairingToken.read(from: ends[0]) }
        var left: CInt = 0
        _ = ioctl(ends[0], UInt(FIONREAD), &left)
        #expect(left == 4_096 - 515)
    }

    @Test func aFailedReadIsNamed() throws {
        #expect(throws: CredentialFailure.system(path: nil, operation: "read", errno: EBADF)) { try PairingToken.read(from: -1) }
    }

    @Test func itHasNoTextForm() throws {
        let text = randomToken()
        let token = try token(text)
        var dumped = ""
        dump(token, to: &dumped)
        for form in [dumped, "\(token)", String(reflecting: token), "\(Mirror(reflecting: token).children.map { "\($0)" })"] {
            #expect(!form.contains(text))
            #expect(!form.contains("page"))
        }
    }

    @Test func itsPageIsLockedAndLeftOutOfCoresAndEmptyInAChild() throws {
        let token = try token(randomToken())
        try #require(token.isLocked, "ulimit -l is too low to run this test")
        let address = token.withBytes { UInt(bitPattern: $0.baseAddress) }
        let flags = try mappingFlags(at: address)
        #expect(flags.isSuperset(of: ["lo", "dd", "wf"]), "\(flags)")
        // And that is not what all memory is like.
        let other = [UInt8](repeating: 1, count: 100_000)
        #expect(try other.withUnsafeBytes { try mappingFlags(at: UInt(bitPattern: $0.baseAddress)) }.isDisjoint(with: ["lo", "dd", "wf"]))
    }

    @Test func aPageThatCannotBeLockedSaysSo() async {
        await #expect(processExitsWith: .success) {
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            try #require(setrlimit(__rlimit_resource_t(8), &none) == 0)  // RLIMIT_MEMLOCK
            // A privileged process may lock what it likes.
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            let text = String(repeating: "k", count: 40)
            let token = try token(text)
            try #require(!token.isLocked)
            try #require(token.text == text)
        }
    }

    @Test func whatWasThePageIsGoneWithTheLastReference() async {
        await #expect(processExitsWith: .success) {
            var held: PairingToken? = try token(String(repeating: "k", count: 40))
            let address = try #require(held?.withBytes { UInt(bitPattern: $0.baseAddress) })
            try #require(try mappingFlags(at: address).contains("lo"))
            held = nil
            try #require(try !mappingFlags(at: address).contains("lo"))
        }
    }

    @Test func noCoreWhileAnyTokenIsHeldAndAgainAfterTheLast() async {
        await #expect(processExitsWith: .success) {
            try #require(nlos_get_dumpable() == 1)
            let text = String(repeating: "k", count: 40)
            var first: PairingToken? = try token(text)
            try #require(nlos_get_dumpable() == 0)
            var second: PairingToken? = try token(text)
            first = nil
            try #require(first == nil && nlos_get_dumpable() == 0)
            // Bytes that do not become a token count while they are here, and no longer.
            try #require(throws: CredentialFailure.self) { try token("short") }
            try #require(nlos_get_dumpable() == 0)
            second = nil
            try #require(second == nil && nlos_get_dumpable() == 1)
        }
    }

    @Test func aProcessThatWasNotDumpableStaysSo() async {
        await #expect(processExitsWith: .success) {
            try #require(nlos_set_dumpable(0) == 0)
            _ = try token(String(repeating: "k", count: 40))
            try #require(nlos_get_dumpable() == 0)
        }
    }
}

/// The kernel's flags of the mapping around an address, from `/proc/self/smaps`; none where nothing is mapped.
func mappingFlags(at address: UInt) throws -> Set<String> {
    var inside = false
    for line in try wholeKernelFile("/proc/self/smaps").split(separator: "\n") {
        if let range = line.prefixMatch(of: #/([0-9a-f]+)-([0-9a-f]+) /#) {
            let start = try #require(UInt(range.1, radix: 16))
            let end = try #require(UInt(range.2, radix: 16))
            inside = start <= address && address < end
        } else if inside, line.hasPrefix("VmFlags:") {
            return Set(line.dropFirst("VmFlags:".count).split(separator: " ").map(String.init))
        }
    }
    return []
}

/// A file that the kernel makes up while it is read, a piece at a time, and of which it says that it is empty.
private func wholeKernelFile(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &piece, piece.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece[..<count]
    }
}
