import NLOSCore

/// What `check` can read; the raw value is the word of `--as`.
enum MessageKind: String, CaseIterable {
    case track, authenticated, transient
}

/// What became of a message.
enum MessageVerdict {
    /// With the watermark that everything must bear which shows it.
    case accepted(watermark: String?)
    case rejected(Rejection)
}

/// Judges one message after another as the command line asks for it.
struct MessageJudge {
    /// Bytes; the same for every kind.
    static let longestMessage = TransientFrame.longestLine

    private let kind: MessageKind
    private let inSequence: Bool
    /// Nil for now.
    private let atUnixMs: UInt64?
    private var transients = TransientSequence()
    private var tracks = TrackOrder()

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let name = arguments.string("--as") ?? MessageKind.track.rawValue
        guard let kind = MessageKind(rawValue: name) else {
            throw unknown(name, among: MessageKind.allCases.map(\.rawValue), what: "kind of message", see: "nlos-bridge check --help")
        }
        self.kind = kind
        inSequence = arguments.has("--sequence")
        atUnixMs = try arguments.int("--at", in: 0...Int(TransientFrame.interoperable.upperBound)).map(UInt64.init)
        if atUnixMs != nil, kind == .transient { throw UsageError("'--at' is for messages that go stale, and a transient does not") }
        if inSequence, kind == .authenticated {
            throw UsageError("'--sequence' is for messages that follow each other, and a stream has one authenticated message")
        }
    }

    mutating func verdict(_ line: LineReader.Line) -> MessageVerdict {
        guard case .bytes(let bytes) = line else { return .rejected(.messageTooLarge) }
        do throws(Rejection) {
            return .accepted(watermark: try judge(bytes))
        } catch {
            return .rejected(error)
        }
    }

    private mutating func judge(_ bytes: ArraySlice<UInt8>) throws(Rejection) -> String? {
        switch kind {
        case .track:
            let envelope = try TrackEnvelope.decode(bytes, atUnixMs: now)
            if inSequence { try tracks.accept(envelope) }
            return envelope.evidence.source.watermark
        case .authenticated:
            _ = try AuthenticatedSession.decode(bytes, atUnixMs: now)
            return nil
        case .transient:
            let frame = try TransientFrame.decode(bytes)
            if inSequence { try transients.acceptOrRejoin(frame) }
            return frame.evidence.source.watermark
        }
    }

    private var now: UInt64 { atUnixMs ?? Clocks.system.unixMs() }
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
    /// The verdict and the field, in the contract's words.
    var sentence: String { field.map { "\(name) \($0)" } ?? name }
}
