/// What a board sent against what a program made of it.
enum Account {
    /// Why they do not agree; nil when they do.
    typealias Complaint = String?

    /// Number by number: the frames that were emitted are frames that were sent, in order, and no whole one between them is left out.
    static func sameNumbers(_ sent: SentText, _ emitted: EmittedText) -> (said: String, complaint: Complaint) {
        let whole = sent.frames.filter(\.isWhole)
        var (next, leftOut) = (0, 0)
        for (number, frame) in emitted.frames.enumerated() {
            let from = next
            while next < whole.count, whole[next].emittedRows != frame { next += 1 }
            guard next < whole.count else {
                return ("", "frame \(number) is none of \(whole.count) that were sent after the one before it (\(from)): \(frame)")
            }
            if number > 0 { leftOut += next - from }
            next += 1
        }
        let said = "\(emitted.frames.count) frames of \(whole.count) that were sent, \(leftOut) left out between them"
        return (said, emitted.frames.isEmpty || leftOut > 0 ? "some are missing" : nil)
    }

    /// What a summary says: frames that were refused, whatever the reasons; gaps because the firmware lost a frame; other gaps.
    struct Summary {
        let refused: Int
        let firmwareLost: Int
        let gaps: Int
    }

    /// Frame by frame: every one whose mark the line took is emitted, refused with a reason, or lost at a gap with a name, one for each; every
    /// frame that the firmware said it lost is such a gap, and every restart is.
    ///
    /// A few frames before the first one emitted, where the host came in, and a few after the last one, where it left, are nobody's.
    static func ledger(_ sent: SentText, _ emitted: EmittedText, _ summary: Summary) -> (said: String, complaint: Complaint) {
        guard let first = emitted.frames.first, let last = emitted.frames.last, let width = first.first?.count else {
            return ("", "nothing was emitted")
        }
        // A frame that no row is left of is as good as wanted.
        let wanted = sent.frames.filter { $0.width ?? width == width }
        guard let from = wanted.first(where: { $0.emittedRows == first })?.index,
            let to = wanted.last(where: { $0.emittedRows == last })?.index
        else { return ("", "the first or the last frame was never sent so") }
        let head = wanted.count { $0.index < from }
        let tail = wanted.count { $0.index > to }
        let marks = wanted.count - head - tail
        let owed = marks - emitted.frames.count - summary.refused
        let between = { (place: Int) in place > from && place <= to }
        let lost = sent.places(of: "vl53lmz_results_extract_block failed")
        let restarts = sent.places(of: "CC Hardware Driver").count(where: between)
        let said =
            "\(marks) marks, \(head) before and \(tail) after; \(emitted.frames.count) emitted, \(summary.refused) refused, \(owed) owed to "
            + "\(summary.gaps) gaps; \(lost.count) lost by the firmware, \(summary.firmwareLost) gaps say so; \(restarts) restarts"
        let complaints = [
            (owed > summary.gaps, "some frames have no name"),
            (owed < -head - tail, "more were emitted and refused than sent"),
            (head > 3, "many came before the first one"),
            (tail > 4 + summary.gaps, "many came after the last one"),
            (!(lost.count(where: between)...lost.count).contains(summary.firmwareLost), "frames that the firmware lost are not told"),
            (summary.gaps < restarts, "a restart is no gap"),
        ]
        return (said, complaints.first { $0.0 }?.1)
    }
}
