internal import CUMockdev
internal import Foundation
internal import Glibc

/// A program that runs in another process and sees the emulated bus: the environment leads it there.
public final class ChildProgram: Sendable {
    /// How a process ended.
    public enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// Everything known about the child so far.
    public struct Progress: Sendable {
        public var stdout: [UInt8] = []
        public var stderr: [UInt8] = []
        public var ending: Ending?
        var openPipes = 2

        public var text: String { String(decoding: stdout, as: UTF8.self) }
        public var errorText: String { String(decoding: stderr, as: UTF8.self) }
    }

    public let pid: Int32
    private let progress = Watched(Progress())

    /// Starts `program` with its standard input at `/dev/null`.
    ///
    /// - Parameters:
    ///   - environment: Variables set on top of this process's own.
    ///   - asNobody: Run as an unprivileged user, so that node permissions count. Only root can ask for it.
    public init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:], asNobody: Bool = false) throws {
        var words = [program] + arguments
        if asNobody {
            let user = String(EmulatedBus.nobody)
            words = ["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--"] + words
        }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        let output = try Self.pipe()
        let errors = try Self.pipe()

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.write, 2)

        // The thread that starts the child may block or ignore signals; a shell would start it with none of that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var pid: pid_t = 0
        let code = Self.withCStrings(words) { argv in
            Self.withCStrings(variables) { envp in posix_spawn(&pid, words[0], &actions, &attributes, argv, envp) }
        }
        close(output.write)
        close(errors.write)
        guard code == 0 else {
            close(output.read)
            close(errors.read)
            throw BusFailure("cannot start \(words[0]): errno \(code)")
        }
        self.pid = pid
        collect(output.read, into: \.stdout)
        collect(errors.read, into: \.stderr)
        let (progress, child) = (progress, pid)
        Thread.detachNewThread {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            progress.change { $0.ending = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F) }
        }
    }

    private func collect(_ descriptor: Int32, into field: any WritableKeyPath<Progress, [UInt8]> & Sendable) {
        let progress = progress
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                progress.change { $0[keyPath: field] += buffer[..<count] }
            }
            close(descriptor)
            progress.change { $0.openPipes -= 1 }
        }
    }

    /// Waits until the child got as far as wanted. False when the time is over first.
    public func wait(_ limit: Duration = .seconds(20), until wanted: (Progress) -> Bool) -> Bool {
        progress.wait(limit, until: wanted)
    }

    public func signal(_ number: Int32) { kill(pid, number) }

    /// Waits for the end, with everything it printed. A child that does not end in time is killed, and the ending says so.
    public func finish(_ limit: Duration = .seconds(20)) -> Progress {
        func ended(_ progress: Progress) -> Bool { progress.ending != nil && progress.openPipes == 0 }
        if !progress.wait(limit, until: ended) {
            kill(pid, SIGKILL)
            _ = progress.wait(.seconds(10), until: ended)
        }
        return progress.read { $0 }
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard nlos_pipe(&ends) == 0 else { throw BusFailure("pipe: errno \(errno)") }
        return (ends[0], ends[1])
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
    }
}

extension ChildProgram {
    /// The bytes of a file on the emulated bus, read by another process as any program would; nil if it is not there.
    public static func contents(of path: String) -> [UInt8]? {
        guard let child = try? ChildProgram("/bin/cat", [path]).finish(), child.ending == .exited(0) else { return nil }
        return child.stdout
    }
}
