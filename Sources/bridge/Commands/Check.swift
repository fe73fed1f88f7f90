import NLOSCore

/// `check`: a verdict for each message of a file.
enum Check {
    static let spec = CommandSpec(
        name: "check", operands: "FILE...", operandCount: 1...10_000,
        summary: "Reads messages and says for each whether it keeps every rule of its contract.",
        details: "A line is a message. '-' is standard input. The exit status is 0 only if all are accepted and there is at least one.",
        options: [
            .value(
                "--as", "KIND", needs: "a kind of message: \(names)",
                "what the messages are: \(names) (\(MessageKind.track.rawValue) when left out)"),
            .value(
                "--at", "UNIX_MS", needs: "milliseconds since 1970, as in --at 1800000000000",
                "the time at which a message must be fresh, instead of now (track, authenticated)"),
            .flag("--one", "a whole file is one message"),
            .flag(
                "--sequence",
                "also check that a file's messages follow each other: tracks are of one session, each newer than the last accepted one; "
                    + "transients are of one session, sequence + 1, time going on"),
            .flag("--json", "one JSON object a message on standard output"),
        ],
        examples: [
            "nlos-bridge check --at 1800000000000 --one message.json", "nlos-bridge check --as transient --sequence capture.jsonl",
        ])

    private static let names = MessageKind.allCases.map(\.rawValue).joined(separator: ", ")

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        let judge = try MessageJudge(arguments)
        try arguments.atMostOne(of: ["--one", "--sequence"])
        var tally = Tally(json: arguments.has("--json"))
        for file in arguments.operands {
            do {
                if arguments.has("--one") {
                    try checkWhole(file, judge, &tally)
                } else {
                    try checkLines(file, judge, &tally)
                }
            } catch let failure as SystemFailure where failure.operation != "write" {
                RunFailure(failure, file: file).message.map { say($0) }
                tally.unreadable += 1
            }
        }
        try tally.finish()
        return tally.allAccepted ? .done : .failed
    }

    private static func checkLines(_ file: String, _ judge: MessageJudge, _ tally: inout Tally) throws {
        let reader = try LineReader(path: file, longest: MessageJudge.longestMessage)
        // Each file begins a run of its own.
        var judge = judge
        var number = 0
        while let line = try reader.next() {
            number += 1
            try tally.note(judge.verdict(line), file: file, line: number)
        }
    }

    private static func checkWhole(_ file: String, _ judge: MessageJudge, _ tally: inout Tally) throws {
        var judge = judge
        let bytes = try wholeFile(file, longest: MessageJudge.longestMessage)
        try tally.note(judge.verdict(bytes.map { .bytes($0[...]) } ?? .tooLong), file: file, line: nil)
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

    mutating func note(_ verdict: MessageVerdict, file: String, line: Int?) throws {
        var rejection: Rejection?
        var watermark: String?
        switch verdict {
        case .accepted(let mark):
            accepted += 1
            watermark = mark
        case .rejected(let reason):
            rejected += 1
            rejection = reason
        }
        if json {
            writer.removeAll()
            writer.beginObject()
            writer.member("file", file)
            writer.key("line")
            writer.value(line)
            writer.member("verdict", rejection?.name ?? "accepted")
            writer.member("field", rejection?.field)
            writer.member("watermark", watermark)
            writer.endObject()
            writer.endLine()
            try Terminal.output.write(writer.bytes)
        } else if rejection != nil || line == nil {
            let place = escaped(file.utf8) + (line.map { ":\($0)" } ?? "")
            try Terminal.output.print("\(place): \(rejection?.sentence ?? "accepted\(watermark.map { " (\($0))" } ?? "")")")
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
