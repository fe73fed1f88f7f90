/// What differs between the public sketches, as the host has to know it. Sources: ams `tmf8828_a` 1.14, cc-hardware `tmf8828`, mini_tof
/// `tmf8820`.
struct TMF882xSketch: Sendable {
    let baud: UInt32
    /// Presses of `c` from the first configuration to one of so many zones along a side. Empty for a sketch that takes no commands.
    let presses: [Int: Int]
    /// Zones along a side of what it streams by itself.
    let streams: Int?
    /// Of the light setting: the grid whose distances come quickest.
    let lightSide: Int
    /// Thousands of iterations, where no line tells.
    let untoldKIterations: Int?
    /// The range that it starts in.
    let range: TMF882xText.Range
    /// A command changes the range, and no line tells.
    let switchesRange: Bool
    /// Of its slowest frame and of one of the light setting.
    let patience: (slow: StreamPatience.Limits, light: StreamPatience.Limits)

    var takesCommands: Bool { !presses.isEmpty }

    private static let second: UInt64 = 1_000_000_000

    /// The boot loader of an Uno and the questions that follow are silent longer than any board that streams.
    private static func limits(gap: UInt64, silent: UInt64, frames: UInt64, start: UInt64 = 12) -> StreamPatience.Limits {
        StreamPatience.Limits(
            silentStart: start * second, gap: gap * second, silentStream: silent * second, withoutFrames: frames * second)
    }

    /// An 8x8 frame takes 6.5 s at 115,200 baud.
    static let ams = TMF882xSketch(
        baud: 115_200, presses: [3: 0, 4: 2, 8: 0], streams: nil, lightSide: 3, untoldKIterations: nil, range: .long, switchesRange: false,
        patience: (limits(gap: 8, silent: 15, frames: 30), limits(gap: 1, silent: 10, frames: 10)))

    /// One press and no more: the sketch has no third configuration and loads what lies behind its table. The first ones
    /// measure 10 million iterations, about 0.6 s a sub-capture, so that the quick grid is 4x4, and 8x8 is taken with a quarter of them.
    static let ccHardware = TMF882xSketch(
        baud: 2_000_000, presses: [3: 0, 4: 1, 8: 1], streams: nil, lightSide: 4, untoldKIterations: nil, range: .long, switchesRange: true,
        patience: (limits(gap: 6, silent: 15, frames: 20), limits(gap: 1, silent: 10, frames: 10)))

    /// It loads the sensor's firmware, and perhaps calibrates it, before it says anything: some four seconds from a reset.
    static let miniTof = TMF882xSketch(
        baud: 1_000_000, presses: [:], streams: 3, lightSide: 3, untoldKIterations: 4_000, range: .short, switchesRange: false,
        patience: (
            limits(gap: 2, silent: 15, frames: 10, start: 15), limits(gap: 2, silent: 15, frames: 10, start: 15)
        ))
}
