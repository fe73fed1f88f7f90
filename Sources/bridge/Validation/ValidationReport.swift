import DepthValidation
import NLOSCore

/// What a run came to, for people: each figure beside what it needed to be, and what to do where one was not.
struct ValidationReport {
    let result: ValidationResult
    let origin: FrameSource
    /// Cells in a line, at least 60.
    let width: Int
    /// Where it is printed decides about colours.
    let terminal: Terminal

    private static let measuredCell = 24
    private static let neededCell = 38
    private static let metCell = 53

    var lines: [String] {
        var lines = [headline] + marks
        var phase: Phase??
        for row in result.rows {
            if phase != .some(row.phase) {
                lines += ["", heading(row.phase?.words ?? "whole run")]
                phase = row.phase
            }
            lines.append(line(row))
        }
        if case .failed(let verdict) = result.outcome {
            lines.append("")
            for (name, text) in [
                ("measured", verdict.measured), ("needed", verdict.needed), ("likely cause", verdict.likelyCause),
                ("what to do", verdict.whatToDo),
            ] { lines += columns(name, text, at: 14, width: width) }
        }
        if !result.notes.isEmpty { lines.append("") }
        for note in result.notes { lines += columns("note", note, at: 14, width: width) }
        return lines
    }

    private var headline: String {
        switch result.outcome {
        case .completed: terminal.styled("completed", .green) + ": the sensor sees a wall, enough of it, steadily"
        case .shortenedRunPassed: terminal.styled("shortened", .yellow) + ": every check was met; only the full 45 seconds can be completed"
        case .cancelled: terminal.styled("cancelled", .yellow) + ": ended before its time"
        case .failed(let verdict): terminal.styled("failed", .red) + ": \(verdict.failure.rawValue)"
        }
    }

    private var marks: [String] {
        var marks: [String] = []
        switch origin {
        case .live: break
        case .replay: marks.append("REPLAY: a recording was judged, not the sensor as it is now")
        case .synthetic: marks.append("SYNTHETIC: a program made these frames up; they say nothing about any sensor")
        }
        if result.isShortened { marks.append("SHORTENED: a demonstration, which never counts as completed") }
        marks.append("direct_depth: visible surfaces only, never NLOS evidence")
        return marks.flatMap { wrapped($0, width: width - 2).map { "  \($0)" } }
    }

    private func heading(_ name: String) -> String {
        padded(padded(name, to: Self.measuredCell) + "measured", to: Self.neededCell) + "needed"
    }

    private func line(_ row: SummaryRow) -> String {
        var line = padded(padded("  \(row.figure)", to: Self.measuredCell) + row.measured, to: Self.neededCell)
        if let needed = row.needed { line += needed }
        guard let isMet = row.isMet else { return String(line.reversed().drop { $0 == " " }.reversed()) }
        return padded(line, to: Self.metCell) + (isMet ? "ok" : terminal.styled("NOT MET", .red))
    }
}
