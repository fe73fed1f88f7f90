import CLinux
import Foundation

/// A process whose standard input and output are pipes to here that nobody else inherits.
final class Child: Sendable {
    let pid: pid_t
    /// The child sees its end when the last process that holds it ends; that is this one.
    let input: CInt
    let output: CInt

    init(_ words: [String], variables: [String: String]) throws {
        let input = try Self.pipe()
        let output = try Self.pipe()
        defer {
            close(input.reading)
            close(output.writing)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.reading, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writing, 1)

        // A child that is gone is an error of the write that meets it.
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        let argv = words.map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for copy in argv + envp { free(copy) } }
        var child = pid_t()
        let failure = posix_spawn(&child, words[0], &actions, nil, argv, envp)
        guard failure == 0 else { throw POSIXError(.init(rawValue: failure) ?? .EIO) }
        pid = child
        self.input = input.writing
        self.output = output.reading
    }

    private static func pipe() throws -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw POSIXError(.EMFILE) }
        return (ends[0], ends[1])
    }
}
