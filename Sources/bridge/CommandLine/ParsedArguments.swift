import NLOSCore

/// A command line that cannot be carried out as written; exit status 2.
struct UsageError: Error, Equatable {
    let text: String
    /// What to type instead, a line for each possibility.
    let next: String?

    init(_ text: String, next: String? = nil) {
        self.text = text
        self.next = next
    }
}

/// The options and operands of one command line, checked against the command's table.
struct ParsedArguments {
    private let spec: CommandSpec
    private var given: [String: [String]] = [:]
    private(set) var operands: [String] = []
    private(set) var wantsHelp = false

    init(_ arguments: some Sequence<String>, for spec: CommandSpec) throws(UsageError) {
        self.spec = spec
        var rest = Array(arguments)[...]
        var optionsEnded = false
        while let argument = rest.popFirst() {
            if optionsEnded || argument == "-" || !argument.hasPrefix("-") {
                operands.append(argument)
            } else if argument == "--" {
                optionsEnded = true
            } else if argument == "-h" || argument == "--help" {
                wantsHelp = true
            } else {
                try take(argument, rest: &rest)
            }
        }
        guard !wantsHelp else { return }
        if operands.count < spec.operandCount.lowerBound {
            throw UsageError("\(spec.name) needs \(spec.operands); see nlos-bridge \(spec.name) --help")
        }
        if operands.count > spec.operandCount.upperBound {
            if let secrecy = spec.secrecy { throw UsageError(secrecy) }
            let extra = operands[spec.operandCount.upperBound]
            throw UsageError("\(spec.name) does not take '\(escaped(extra))'; see nlos-bridge \(spec.name) --help")
        }
    }

    private mutating func take(_ argument: String, rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0] == "-o" ? "--output" : String(parts[0])
        guard let option = spec.options.first(where: { $0.name == name }) else {
            let names = spec.options.map(\.name) + ["--help"]
            if let secrecy = spec.secrecy {
                throw UsageError(nearest(to: name, among: names).map { "unknown option; did you mean '\($0)'?" } ?? secrecy)
            }
            throw unknown(name, among: names, what: "option", see: "nlos-bridge \(spec.name) --help")
        }
        var value = parts.count == 2 ? String(parts[1]) : nil
        if option.value == nil {
            guard value == nil else { throw UsageError("'\(name)' takes no value") }
            value = ""
        } else if value == nil {
            // "-" alone means standard input or output; any other dash begins an option.
            guard let next = rest.first, next == "-" || !next.hasPrefix("-") else {
                throw UsageError("'\(name)' needs \(option.needs)")
            }
            value = rest.removeFirst()
        }
        guard let value, !(value.isEmpty && option.value != nil) else { throw UsageError("'\(name)' needs \(option.needs)") }
        guard option.repeats || given[name] == nil else { throw UsageError("'\(name)' is given twice") }
        given[name, default: []].append(value)
    }

    func has(_ name: String) -> Bool { given[name] != nil }

    func string(_ name: String) -> String? { given[name]?.first }

    func strings(_ name: String) -> [String] { given[name] ?? [] }

    /// The option's whole number within `range`; nil when it was not given.
    func int(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = string(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("'\(name)' needs a whole number from \(range.lowerBound) to \(range.upperBound), not '\(escaped(text))'")
        }
        return number
    }

    /// The option's positive number; nil when it was not given.
    func seconds(_ name: String) throws(UsageError) -> Double? {
        guard let text = string(name) else { return nil }
        guard let number = Double(text), number.isFinite, number > 0, number <= 1e9 else {
            throw UsageError("'\(name)' needs a number of seconds above 0, not '\(escaped(text))'")
        }
        return number
    }

    /// The option's value as a name that may stand in a message; nil when it was not given.
    func label(_ name: String) throws(UsageError) -> SafeLabel? {
        guard let text = string(name) else { return nil }
        guard let label = SafeLabel(text) else {
            throw UsageError("'\(name)' takes 1 to 64 of A-Z a-z 0-9 . _ : - and not '\(escaped(text))'")
        }
        return label
    }

    /// Refuses options that exclude each other when more than one was given.
    func atMostOne(of names: [String]) throws(UsageError) {
        let present = names.filter(has)
        if present.count > 1 { throw UsageError("'\(present[0])' and '\(present[1])' exclude each other") }
    }
}

/// The error for a name that is in no table, with the nearest one that is.
func unknown(_ name: String, among names: [String], what: String, see help: String) -> UsageError {
    if let nearest = nearest(to: name, among: names) {
        return UsageError("unknown \(what) '\(escaped(name))'; did you mean '\(nearest)'?")
    }
    return UsageError("unknown \(what) '\(escaped(name))'; see \(help)")
}

/// The name that somebody who typed this may have meant; nil when none is near.
private func nearest(to typed: String, among names: [String]) -> String? {
    let nearest = names.map { (name: $0, distance: editDistance($0, typed)) }.min { $0.distance < $1.distance }
    return nearest.flatMap { $0.distance <= max(2, typed.count / 3) ? $0.name : nil }
}

/// Single-character insertions, deletions and substitutions from one name to the other.
func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8.prefix(64))
    let right = Array(right.utf8.prefix(64))
    var row = Array(0...right.count)
    for (index, byte) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in right.indices {
            let above = row[column + 1]
            row[column + 1] = min(above + 1, row[column] + 1, diagonal + (byte == right[column] ? 0 : 1))
            diagonal = above
        }
    }
    return row[right.count]
}

private func escaped(_ text: String) -> String { NLOSCore.escaped(text.utf8) }
