/// Notices a server whose clock and this machine's disagree: messages in a row that only their time speaks against, all by about
/// the same offset.
///
/// It explains and changes nothing: no limit is widened, and what was refused stays so.
public struct ClockSkewWatch: Sendable {
    /// How many in a row it takes.
    public static let messagesNeeded = 5
    /// How long they have to go on arriving, milliseconds. What waited while this machine was busy or stopped is late by one offset as
    /// well, but comes all at once.
    static let lastingMs: UInt64 = 2_000
    /// How far offsets of one cause may lie apart, milliseconds: what a network and a server's own pace vary by.
    static let steadyWithinMs: Int64 = 1_000

    private var smallest: Int64 = 0
    private var largest: Int64 = 0
    private var lastCaptureUnixMs: UInt64 = 0
    private var inARow = 0
    /// When the first of the row was judged.
    private var sinceUnixMs: UInt64 = 0
    private var isTold = false

    public init() {}

    /// A message was accepted: the clocks agree well enough.
    public mutating func accepted() { self = ClockSkewWatch() }

    /// A message was refused. Returns the sentence for people when it makes a steady offset; once, until a message is accepted or the
    /// offset changes.
    ///
    /// `bytes` are the message's, `unixMs` the wall clock that it was judged by.
    public mutating func rejected(_ rejection: Rejection, _ bytes: UnsafeRawBufferPointer, unixMs: UInt64) -> Message? {
        guard rejection == .stale || rejection == .futureDated,
            let (captured, offset) = TrackEnvelope.captureOffsetMs(of: bytes, atUnixMs: unixMs)
        else {
            inARow = 0
            return nil
        }
        // A server that sends one old frame again and again has no wrong clock.
        let goesOn = inARow > 0 && captured > lastCaptureUnixMs
        lastCaptureUnixMs = captured
        if goesOn, max(largest, offset) - min(smallest, offset) <= Self.steadyWithinMs {
            (smallest, largest) = (min(smallest, offset), max(largest, offset))
            inARow += 1
        } else {
            if inARow > 0, !(smallest - Self.steadyWithinMs...largest + Self.steadyWithinMs).contains(offset) { isTold = false }
            (smallest, largest, inARow, sinceUnixMs) = (offset, offset, 1, unixMs)
        }
        let lasted = interval(from: sinceUnixMs, to: unixMs)
        guard inARow >= Self.messagesNeeded, lasted >= Self.lastingMs, !isTold else { return nil }
        isTold = true
        return Self.message(offsetMs: smallest + (largest - smallest) / 2)
    }

    private static func message(offsetMs: Int64) -> Message {
        let side = offsetMs < 0 ? "behind" : "ahead of"
        return Message(
            text: "the server's clock is about \(roughly(offsetMs.magnitude)) \(side) this machine's, so nothing it sends may be shown",
            next: "set both clocks by NTP; 'timedatectl' says whether this one is")
    }

    /// A duration in the unit that a person would choose.
    private static func roughly(_ milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1000
        return switch seconds {
        case ..<3: "\(seconds).\(milliseconds % 1000 / 100) s"
        case ..<180: "\((milliseconds + 500) / 1000) s"
        case ..<10_800: "\((seconds + 30) / 60) min"
        case ..<172_800: "\((seconds + 1_800) / 3_600) h"
        default: "\((seconds + 43_200) / 86_400) days"
        }
    }
}
