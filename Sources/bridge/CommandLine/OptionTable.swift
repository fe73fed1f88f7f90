/// One option of a command, as `--help` shows it and as the parser takes it.
struct Option: Sendable {
    let name: String
    /// What stands for the value in `--help` (`HZ`); nil for a switch.
    let value: String?
    /// Completes "'--rate' needs …": what the value is, with an example.
    let needs: String
    let help: String
    let repeats: Bool

    static func flag(_ name: String, _ help: String) -> Option {
        Option(name: name, value: nil, needs: "", help: help, repeats: false)
    }

    static func value(_ name: String, _ value: String, needs: String, _ help: String, repeats: Bool = false) -> Option {
        Option(name: name, value: value, needs: needs, help: help, repeats: repeats)
    }
}

/// A command's face: what it takes and what it is for.
struct CommandSpec: Sendable {
    let name: String
    /// The operands as `--help` shows them, e.g. `FILE`.
    let operands: String
    let operandCount: ClosedRange<Int>
    let summary: String
    /// What somebody should know before the first run, a sentence or two.
    let details: String
    let options: [Option]
    /// Command lines that work as they stand.
    let examples: [String]
    /// For a command beside which somebody may type a secret: what is said of an argument that the command does not take, in place
    /// of the argument itself.
    var secrecy: String?

    static let help = Option.flag("--help", "show this text (-h)")

    /// The text of `nlos-bridge NAME --help` in lines of at most `width` cells, 60 to 80 of them.
    func helpText(width: Int) -> String {
        var lines = ["usage: nlos-bridge \(name)\(options.isEmpty ? "" : " [options]")\(operands.isEmpty ? "" : " \(operands)")", ""]
        lines.append(contentsOf: wrapped(summary, width: width))
        if !details.isEmpty {
            lines.append("")
            lines.append(contentsOf: wrapped(details, width: width))
        }
        lines.append(contentsOf: ["", "options:"])
        for option in options + [Self.help] {
            lines.append(contentsOf: columns("  \(option.name)\(option.value.map { " \($0)" } ?? "")", option.help, at: 28, width: width))
        }
        if !examples.isEmpty {
            lines.append(contentsOf: ["", "examples:"])
            for example in examples {
                // A line that goes on says so to the shell, so that the whole can be copied.
                let parts = wrapped(example, width: width - 6)
                lines.append(
                    contentsOf: zip(parts.indices, parts).map { "\($0 == 0 ? "  " : "    ")\($1)\($0 < parts.count - 1 ? " \\" : "")" })
            }
        }
        return lines.joined(separator: "\n")
    }
}
