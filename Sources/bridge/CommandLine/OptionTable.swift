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

    static let help = Option.flag("--help", "show this text (-h)")

    /// The text of `nlos-bridge NAME --help`.
    var helpText: String {
        var lines = ["usage: nlos-bridge \(name)\(options.isEmpty ? "" : " [options]")\(operands.isEmpty ? "" : " \(operands)")", ""]
        lines.append(contentsOf: wrapped(summary, width: 78))
        if !details.isEmpty {
            lines.append("")
            lines.append(contentsOf: wrapped(details, width: 78))
        }
        lines.append(contentsOf: ["", "options:"])
        for option in options + [Self.help] {
            let left = "  \(option.name)\(option.value.map { " \($0)" } ?? "")"
            let text = wrapped(option.help, width: 50)
            if left.count < 27 {
                lines.append(padded(left, to: 28) + text[0])
            } else {
                lines.append(left)
                lines.append(String(repeating: " ", count: 28) + text[0])
            }
            lines.append(contentsOf: text.dropFirst().map { String(repeating: " ", count: 28) + $0 })
        }
        if !examples.isEmpty {
            lines.append(contentsOf: ["", "examples:"])
            lines.append(contentsOf: examples.map { "  \($0)" })
        }
        return lines.joined(separator: "\n")
    }
}
