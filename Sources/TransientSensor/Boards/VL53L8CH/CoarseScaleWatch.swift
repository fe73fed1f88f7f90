internal import NLOSCore

/// Notices a firmware build that cut the fraction off before it scaled: all its bins are multiples of 100 or 1000.
///
/// The scale of a histogram is not on the wire, so this is the only sign of such a build; nothing is corrected.
struct CoarseScaleWatch: Sendable {
    /// Frames in a row that make it no accident.
    static let frames = 30

    private var seen = 0
    /// The coarsest step that fits every frame so far.
    private var step: Int64 = 1_000
    private var told = false

    init() {}

    /// A notice, once, when enough frames in a row had such bins only. A frame of zeros alone says nothing.
    mutating func see(_ frame: FirmwareFrame) -> Message? {
        guard !told, frame.histogram.contains(where: { $0 != 0 }) else { return nil }
        while !frame.histogram.allSatisfy({ $0 % step == 0 }) {
            guard step == 1_000 else {
                step = 1_000
                seen = 0
                return nil
            }
            step = 100
        }
        seen += 1
        guard seen == Self.frames else { return nil }
        told = true
        return Message(
            text: "every bin of \(seen) frames is a multiple of \(step): this firmware build rounds before it scales,"
                + " and its histograms do not compare with those of others",
            next: "flash the public cc-hardware firmware, see hardware/")
    }
}
