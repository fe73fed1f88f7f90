import NLOSCore

/// Lines about a stream for a reader that may be slow.
///
/// A frame that the reader has no room for waits alone, until a newer one takes its place or its time is over; every other line waits
/// in a bounded backlog. So what a reader gets after a pause is what is true then. Nothing is left out in silence: frames are counted,
/// and so is a line that no longer fits.
final class EventLines {
    /// Bytes. Other lines are short and few; beyond this the reader is as good as gone.
    private static let limit = 256 << 10

    let sink: LineSink
    private var held: (line: [UInt8], expiresAtBootNs: UInt64)?
    /// The last word that the reader was given on the display is a frame.
    private var readerHasFrame = false
    /// Frames that the reader was not given, since they were last taken.
    private var framesDropped: UInt64 = 0
    /// Other lines that found no room.
    private(set) var linesLost: UInt64 = 0

    init(sink: LineSink = .standardOutput(limit: EventLines.limit)) { self.sink = sink }

    var hasBacklog: Bool { sink.hasBacklog || held != nil }

    /// A frame that may be shown until it expires: one that this process came to late is not.
    func frame(_ line: [UInt8], expiresAtBootNs: UInt64, bootNs now: UInt64) {
        dropHeldFrame()
        guard now < expiresAtBootNs else {
            framesDropped += 1
            return
        }
        guard sink.hasBacklog || !sink.append(line) else {
            readerHasFrame = true
            return
        }
        held = (line, expiresAtBootNs)
    }

    /// Nothing is on display any more. No news for a reader who was never given what was.
    func cleared(_ line: [UInt8]) {
        dropHeldFrame()
        guard readerHasFrame else { return }
        readerHasFrame = false
        other(line)
    }

    /// A frame that waits for its reader is not on display any more.
    func dropHeldFrame() {
        guard held != nil else { return }
        held = nil
        framesDropped += 1
    }

    func other(_ line: [UInt8]) {
        if !sink.append(line) { linesLost += 1 }
    }

    /// Writes what the reader takes now.
    func flush(bootNs now: UInt64) {
        sink.flush()
        guard let held, !sink.hasBacklog, sink.state == .open else { return }
        if now < held.expiresAtBootNs {
            self.held = nil
            readerHasFrame = sink.append(held.line)
        } else {
            dropHeldFrame()
        }
    }

    /// How many frames the reader was not given since this was last asked.
    func takeFramesDropped() -> UInt64 {
        defer { framesDropped = 0 }
        return framesDropped
    }
}
