import CLinux
import Foundation
import Testing

/// While `pair` holds a token, and after: nobody finds it anywhere but in the one page and the one file.
@Suite struct PairSecrecyTests {
    /// `pair` that has read a token and waits for the end of its input.
    final class Holding {
        let home: Home
        let text = randomToken()
        let program: RunningProgram
        private var writing: CInt

        init(through wrapper: [String] = []) throws {
            home = try Home()
            let ends = try pipeEnds()
            defer { close(ends.reading) }
            writing = ends.writing
            program = try RunningProgram(
                ["pair", Home.url], input: .descriptor(ends.reading), environment: home.environment, through: wrapper)
            // A pipe of one page takes more only when its reader has taken what is there: then the bytes are with the program.
            let setPipeSize: CInt = 1_031
            try #require(fcntl(writing, setPipeSize, 4_096) == 4_096)
            try #require(write(writing, text, text.utf8.count) == text.utf8.count)
            var taken = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
            try #require(poll(&taken, 1, 30_000) == 1 && taken.revents == Int16(POLLOUT), "it did not read; it said: \(program.said)")
        }

        deinit { if writing >= 0 { close(writing) } }

        func endInput() {
            close(writing)
            writing = -1
        }
    }

    @Test func neitherArgumentsNorEnvironmentNorOutputHoldIt() throws {
        let holding = try Holding()
        for name in ["cmdline", "environ", "comm", "status"] {
            let path = "/proc/\(holding.program.pid)/\(name)"
            // To other programs of the user the process is closed: that is an answer too.
            guard let bytes = bytes(of: path) else {
                #expect(errno == EACCES || errno == EPERM, "\(path)")
                continue
            }
            #expect(!bytes.isEmpty)
            #expect(!contains(bytes, holding.text), "\(path)")
        }
        holding.endInput()
        #expect(try holding.program.finish() == 0)
        #expect(!(holding.program.text + holding.program.said).contains(holding.text))
        #expect(try holding.home.stored() == holding.text)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalBeforeTheInputEnds(signal: CInt) throws {
        let holding = try Holding()
        holding.program.send(signal: signal)
        #expect(try holding.program.finish() == (signal == SIGINT ? 130 : 143))
        #expect(holding.program.text + holding.program.said == "")
        #expect(!FileManager.default.fileExists(atPath: holding.home.data))
    }

    @Test(.enabled(if: getuid() == 0, "needs root, who may read the memory of others"))
    func theProcessHoldsItOnceInALockedPage() throws {
        let holding = try Holding()
        let maps = String(decoding: try #require(bytes(of: "/proc/\(holding.program.pid)/smaps")), as: UTF8.self)
        let memory = open("/proc/\(holding.program.pid)/mem", O_RDONLY | O_CLOEXEC)
        try #require(memory >= 0)
        defer { close(memory) }
        var range: Range<UInt>?
        var found: [String] = []
        for line in maps.split(separator: "\n") {
            if let header = line.prefixMatch(of: #/([0-9a-f]+)-([0-9a-f]+) r/#) {
                range = try #require(UInt(header.1, radix: 16))..<#require(UInt(header.2, radix: 16))
            } else if line.wholeMatch(of: #/[0-9a-f]+-[0-9a-f]+ .*/#) != nil {
                range = nil
            } else if line.hasPrefix("VmFlags:"), let mapping = range, mapping.upperBound < 1 << 47 {
                var content = [UInt8](repeating: 0, count: mapping.count)
                guard pread(memory, &content, content.count, off_t(mapping.lowerBound)) > 0 else { continue }
                if contains(content, holding.text) { found.append(String(line)) }
            }
        }
        #expect(found.count == 1, "\(found)")
        for flag in ["lo", "dd", "wf"] { #expect(found.first?.split(separator: " ").contains(Substring(flag)) == true) }
    }

    /// Killed by a signal that writes a core where it may: it may not, though the limit allows it.
    @Test func noCoreIsWritten() throws {
        let folder = try TemporaryFolder()
        let wrapper = ["env", "-C", folder.path(""), "prlimit", "--core=unlimited"]
        let other = try RunningProgram(["emulate", "--pty"], through: wrapper)
        try other.wait { !$0.lines.isEmpty }
        #expect(end(of: other) == CInt(CLD_DUMPED), "this machine writes no core of any program, so nothing is shown here")
        _ = try other.finish()
        let holding = try Holding(through: wrapper)
        #expect(end(of: holding.program) == CInt(CLD_KILLED))
        _ = try holding.program.finish()
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path("")) {
            #expect(!contains(try folder.read(file), holding.text), "\(file)")
        }
    }

    /// Ends it with a signal that the Swift runtime has no handler for, and returns how it ended, without taking the news from
    /// whoever waits for it.
    private func end(of program: RunningProgram) -> CInt {
        program.send(signal: SIGSYS)
        var news = siginfo_t()
        waitid(P_PID, id_t(program.pid), &news, WEXITED | WNOWAIT)
        return news.si_code
    }

    private func contains(_ bytes: some Collection<UInt8>, _ text: String) -> Bool {
        Data(bytes).range(of: Data(text.utf8)) != nil
    }
}
