import Foundation

/// An emulated board on a pseudo-terminal, played by the program's own `emulate`.
final class Emulator {
    let program: RunningProgram
    /// The port to capture from.
    let port: String

    init(_ arguments: String...) throws {
        program = try RunningProgram(["emulate", "--pty"] + arguments)
        try program.wait { !$0.lines.isEmpty && $0.text.hasSuffix("\n") }
        port = program.lines[0]
    }

    /// Ends it as Ctrl-C does.
    func stop() throws -> Int32 {
        program.send(signal: SIGINT)
        return try program.finish()
    }
}
