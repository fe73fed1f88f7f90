import CLinux
import Foundation
import Synchronization

/// `nlos-bridge` as a process of its own, seen from outside: its arguments, its three streams, its signals and its status.
final class RunningProgram {
    /// Where standard output or standard error goes.
    enum Stream {
        case pipe
        /// The test keeps the descriptor and reads there what it likes.
        case descriptor(CInt)
        case file(String)
        case closed
    }

    /// The program that was built beside these tests.
    static let path: String = {
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = tests.map { URL(filePath: $0).deletingLastPathComponent().appending(path: "nlos-bridge").path() }
        if let beside, FileManager.default.isExecutableFile(atPath: beside) { return beside }
        return packageRoot.appending(path: ".build/debug/nlos-bridge").path()
    }()

    /// The kernel's number of the process; the test may look into `/proc` and send signals.
    let pid: pid_t
    private(set) var output = Data()
    private(set) var messages = Data()
    private var outputEnd: CInt = -1
    private var messagesEnd: CInt = -1
    /// Readable at its end when the process is gone: nobody else holds the other side.
    private var lifeline: CInt = -1
    private var waited: Int32?

    /// Starts the program, or another one. `through` is a program that becomes it, e.g. `prlimit`.
    init(
        _ arguments: [String], of program: String = RunningProgram.path, input: Stream = .file("/dev/null"), output: Stream = .pipe,
        messages: Stream = .pipe,
        environment: [String: String] = [:], through wrapper: [String] = []
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var handedOver: [CInt] = []
        defer { for end in handedOver { close(end) } }

        func connect(_ stream: Stream, to number: CInt, write: Bool) throws -> CInt {
            switch stream {
            case .pipe:
                let (reading, writing) = try Self.pipeEnds()
                posix_spawn_file_actions_adddup2(&actions, write ? writing : reading, number)
                handedOver.append(write ? writing : reading)
                return write ? reading : writing
            case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            case .file(let path):
                posix_spawn_file_actions_addopen(
                    &actions, number, path, write ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0o644)
            case .closed: posix_spawn_file_actions_addclose(&actions, number)
            }
            return -1
        }
        _ = try connect(input, to: 0, write: false)
        outputEnd = try connect(output, to: 1, write: true)
        messagesEnd = try connect(messages, to: 2, write: true)
        let (reading, writing) = try Self.pipeEnds()
        lifeline = reading
        handedOver.append(writing)
        posix_spawn_file_actions_adddup2(&actions, writing, 9)

        // A child that is gone is an error of the write that meets it, here; and no such leniency is handed down.
        signal(SIGPIPE, SIG_IGN)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGPIPE, SIGHUP, SIGINT, SIGTERM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // Nor the signals that a test's thread blocks: a shell hands none down.
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var values = ["PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8"]
        values.merge(environment) { $1 }
        let words = wrapper + [program] + arguments
        var child = pid_t()
        let failure = Self.withCStrings(words) { argv in
            Self.withCStrings(values.map { "\($0)=\($1)" }) { envp in
                privateDescriptors.withLock { _ in posix_spawnp(&child, words[0], &actions, &attributes, argv, envp) }
            }
        }
        pid = child
        guard failure == 0 else { throw POSIXError(.init(rawValue: failure) ?? .EIO) }
    }

    deinit {
        if waited == nil {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        for end in [outputEnd, messagesEnd, lifeline] where end >= 0 { close(end) }
    }

    func send(signal: CInt) { kill(pid, signal) }

    /// What it printed on standard output so far, as text.
    var text: String { String(decoding: output, as: UTF8.self) }
    /// What it said on standard error so far.
    var said: String { String(decoding: messages, as: UTF8.self) }
    /// Whole lines of standard output so far.
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// Reads its streams until the condition holds. Throws when the process ends before, or after `seconds`.
    func wait(seconds: Double = 30, until condition: (RunningProgram) -> Bool) throws {
        try pump(seconds: seconds, stopping: condition)
        guard condition(self) else { throw Ended(self) }
    }

    /// Reads its streams to their end and waits for the process. Throws `Late` after `seconds`, and kills it if it may.
    @discardableResult
    func finish(seconds: Double = 30, killing: Bool = true) throws -> Int32 {
        if let waited { return waited }
        try pump(seconds: seconds, killing: killing) { _ in false }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        // As a shell says it: a signal's number above 128.
        let code = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
        waited = code
        return code
    }

    /// Takes no more of standard output: a reader that goes away.
    func closeOutput() {
        close(outputEnd)
        outputEnd = -1
    }

    /// Memory of its own, kibibytes. Pages of the program's file are left out: when they come in is the kernel's affair.
    var ownMemoryKiB: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
            return Int(line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first ?? "") ?? 0
        }
    }

    struct Late: Error, CustomStringConvertible {
        let description: String
        init(_ program: RunningProgram) { description = "no end in time; it said: \(program.said.suffix(2000))" }
    }

    struct Ended: Error, CustomStringConvertible {
        let description: String
        init(_ program: RunningProgram) { description = "it ended before; it said: \(program.said.suffix(2000))" }
    }

    private func pump(seconds: Double, killing: Bool = true, stopping condition: (RunningProgram) -> Bool) throws {
        let limit = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !condition(self) {
            var ends = [outputEnd, messagesEnd, lifeline].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard ends.contains(where: { $0.fd >= 0 }) else { return }
            let now = DispatchTime.now().uptimeNanoseconds
            guard now < limit, poll(&ends, 3, CInt((limit - now) / 1_000_000 + 1)) > 0 else {
                if killing { kill(pid, SIGKILL) }
                throw Late(self)
            }
            for (index, end) in ends.enumerated() where end.revents != 0 {
                let count = read(end.fd, &buffer, buffer.count)
                if count > 0 {
                    if index == 0 { output.append(contentsOf: buffer[..<count]) } else { messages.append(contentsOf: buffer[..<count]) }
                } else {
                    close(end.fd)
                    switch index {
                    case 0: outputEnd = -1
                    case 1: messagesEnd = -1
                    default: lifeline = -1
                    }
                }
            }
        }
    }

    private static func pipeEnds() throws -> (reading: CInt, writing: CInt) {
        try privateDescriptors.withLock { _ in
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (ends[0], ends[1])
        }
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return body(copies)
    }
}

/// Held while descriptors are made and while a process is started, so that none is inherited before it is marked as private: a pipe
/// that a long-lived child of another test holds too would never come to its end.
let privateDescriptors = Mutex(())

/// The folder that holds `Package.swift`.
let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// A program that ran to its end.
struct Finished {
    let status: Int32
    let output: String
    let messages: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// Runs the program to its end.
func run(
    _ arguments: [String], input: RunningProgram.Stream = .file("/dev/null"), output: RunningProgram.Stream = .pipe,
    environment: [String: String] = [:], through wrapper: [String] = [], seconds: Double = 30
) throws -> Finished {
    let program = try RunningProgram(arguments, input: input, output: output, environment: environment, through: wrapper)
    let status = try program.finish(seconds: seconds)
    return Finished(status: status, output: program.text, messages: program.said)
}
