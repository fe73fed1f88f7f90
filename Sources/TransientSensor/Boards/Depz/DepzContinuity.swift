/// What the sensor's own numbers say of the frames between the ones that came.
///
/// The packets' numbers cannot tell: a board was recorded that dropped two of three frames and sent every sixth twice, with packets
/// numbered without a hole. Source: hardware reference, 5.7.
struct DepzContinuity: Sendable {
    enum Step: Equatable {
        case first, next
        /// The frame before, once more.
        case again
        /// So many came neither right nor wrong; 0 where the rejected ones are all that a jump stands for.
        case missing(UInt64)
        /// The board or its sensor has started anew.
        case restart
    }

    private var last: (number: UInt16, deviceUs: UInt64)?
    /// Frames that came since `last` and showed no number that could be trusted.
    private var rejected: UInt64 = 0

    /// Faster than any setting of the sensor.
    private static let frameUs: UInt64 = 10_000
    /// How far the board's clock and the sensor's frames may be out of step.
    private static let slack: UInt64 = 1_024

    /// A frame came that is counted as rejected: it is not missing.
    mutating func frameWasRejected() { rejected += 1 }

    mutating func step(to number: UInt16, deviceUs: UInt64) -> Step {
        defer { (last, rejected) = ((number, deviceUs), 0) }
        guard let last else { return .first }
        let step = number &- last.number
        guard deviceUs >= last.deviceUs, step < 0x8000,
            UInt64(step) <= Self.slack + (deviceUs - last.deviceUs) / Self.frameUs
        else { return .restart }
        return switch step {
        case 0: .again
        case 1: .next
        default: .missing(UInt64(step) - 1 - min(rejected, UInt64(step) - 1))
        }
    }
}
