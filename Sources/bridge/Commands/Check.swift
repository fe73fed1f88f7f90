import NLOSCore

/// `check`: a verdict for each message of a file.
enum Check {
    static let spec = CommandSpec(
        name: "check", operands: "FILE...", operandCount: 1...10_000,
        summary: "Reads messages and says for each whether it keeps every rule of its contract.",
        details: "A line is a message. '-' is standard input. The exit status is 0 only if all are accepted and there is at least one.",
        options: [
            .value("--as", "KIND", needs: "a kind of message: transient", "what the messages are: transient"),
            .flag("--one", "a whole file is one message"),
            .flag("--sequence", "also check that a file's messages follow each other: one session, sequence + 1, time going on"),
            .flag("--json", "one JSON object a message on standard output"),
        ],
        examples: ["nlos-bridge check --as transient capture.jsonl"])

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        guard let kind = arguments.string("--as") else { throw UsageError("check needs '--as transient'") }
        guard kind == "transient" else {
            throw unknown(kind, among: ["transient"], what: "kind of message", see: "nlos-bridge check --help")
        }
        try arguments.atMostOne(of: ["--one", "--sequence"])
        var tally = Tally(json: arguments.has("--json"))
        for file in arguments.operands {
            do {
                if arguments.has("--one") {
                    try checkWhole(file, &tally)
                } else {
                    try checkLines(file, inSequence: arguments.has("--sequence"), &tally)
                }
            } catch let failure as SystemFailure where failure.operation != "write" {
                RunFailure(failure, file: file).message.map { say($0) }
                tally.unreadable += 1
            }
        }
        try tally.finish()
        return tally.allAccepted ? .done : .failed
    }

    private static func checkLines(_ file: String, inSequence: Bool, _ tally: inout Tally) throws {
        let reader = try LineReader(path: file, longest: TransientFrame.longestLine)
        var order = TransientSequence()
        var number = 0
        while let line = try reader.next() {
            number += 1
            let result = verdict(line) { frame throws(Rejection) in if inSequence { try order.acceptOrRejoin(frame) } }
            try tally.note(result, file: file, line: number)
        }
    }

    private static func checkWhole(_ file: String, _ tally: inout Tally) throws {
        let bytes = try wholeFile(file, longest: TransientFrame.longestLine)
        try tally.note(verdict(bytes.map { .bytes($0[...]) } ?? .tooLong) { _ in }, file: file, line: nil)
    }

    private static func verdict(
        _ line: LineReader.Line, _ further: (TransientFrame) throws(Rejection) -> Void
    ) -> Result<TransientFrame, Rejection> {
        guard case .bytes(let bytes) = line else { return .failure(.messageTooLarge) }
        do throws(Rejection) {
            let frame = try TransientFrame.decode(bytes)
            try further(frame)
            return .success(frame)
        } catch {
            return .failure(error)
        }
    }
}

/// What has been judged so far, printed as it comes.
private struct Tally {
    let json: Bool
    var unreadable = 0
    private var accepted = 0
    private var rejected = 0
    private var writer = JSONWriter()

    init(json: Bool) { self.json = json }

    var allAccepted: Bool { rejected == 0 && unreadable == 0 && accepted > 0 }

    mutating func note(_ result: Result<TransientFrame, Rejection>, file: String, line: Int?) throws {
        var rejection: Rejection?
        var source: FrameSource?
        switch result {
        case .success(let frame):
            accepted += 1
            source = frame.evidence.source
        case .failure(let failure):
            rejected += 1
            rejection = failure
        }
        if json {
            writer.removeAll()
            writer.beginObject()
            writer.member("file", file)
            writer.key("line")
            writer.value(line)
            writer.member("verdict", rejection?.name ?? "accepted")
            writer.member("field", rejection?.field)
            writer.member("watermark", source?.watermark)
            writer.endObject()
            writer.endLine()
            try Terminal.output.write(writer.bytes)
        } else if rejection != nil || line == nil {
            let place = escaped(file.utf8) + (line.map { ":\($0)" } ?? "")
            try Terminal.output.print("\(place): \(rejection?.sentence ?? "accepted\(source?.watermark.map { " (\($0))" } ?? "")")")
        }
    }

    func finish() throws {
        let total = accepted + rejected
        // Of files that cannot be read nobody knows what they hold.
        guard !json, total > 0 || unreadable == 0 else { return }
        try Terminal.output.print(
            total == 0 ? "no message found" : "\(accepted) of \(total) message\(total == 1 ? "" : "s") accepted")
    }
}

extension TransientSequence {
    /// As `accept`; after a jump the run goes on from where it landed, so that one loss is one verdict.
    fileprivate mutating func acceptOrRejoin(_ frame: TransientFrame) throws(Rejection) {
        do throws(Rejection) {
            try accept(frame)
        } catch {
            if error == .invalidField("sequence") {
                self = TransientSequence()
                try accept(frame)
            }
            throw error
        }
    }
}

extension Rejection {
    fileprivate var sentence: String { field.map { "\(name) \($0)" } ?? name }
}
