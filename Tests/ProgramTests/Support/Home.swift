import Foundation
import Testing

/// A user of the pairing commands: a home of its own, in which `pair` and `monitor` find and leave what they keep.
final class Home {
    static let url = "wss://ruview.example:8443/api/v1/nlos/ws"

    let folder: TemporaryFolder
    var environment: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        environment = ["HOME": folder.path("home"), "XDG_DATA_HOME": folder.path("data")]
    }

    var data: String { folder.path("data") }
    var pairings: String { data + "/nlos-bridge/pairings" }
    /// The pairing with `url`.
    var file: String { pairings + "/ruview.example+8443" }

    func stored() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    func run(_ arguments: [String], input: RunningProgram.Stream = .file("/dev/null"), through wrapper: [String] = []) throws -> Finished {
        try ProgramTests.run(arguments, input: input, environment: environment, through: wrapper)
    }

    /// Starts the program, with what is to come on its standard input and then its end.
    func start(_ arguments: [String], piping text: String = "", through wrapper: [String] = []) throws -> RunningProgram {
        let (reading, writing) = try pipeEnds()
        defer { close(reading) }
        let program = try RunningProgram(arguments, input: .descriptor(reading), environment: environment, through: wrapper)
        try #require(write(writing, text, text.utf8.count) == text.utf8.count)
        close(writing)
        return program
    }

    /// Pairs with `url`.
    func pair(piping text: String, _ options: [String] = [], through wrapper: [String] = []) throws -> Finished {
        let program = try start(["pair", Self.url] + options, piping: text, through: wrapper)
        let status = try program.finish()
        return Finished(status: status, output: program.text, messages: program.said)
    }
}

/// A pipe that no other test's child inherits.
func pipeEnds() throws -> (reading: CInt, writing: CInt) {
    try privateDescriptors.withLock { _ in
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}

/// A token that each call makes anew: what a test finds somewhere came from this test.
func randomToken() -> String { (UUID().uuidString + UUID().uuidString).filter { $0 != "-" } }
