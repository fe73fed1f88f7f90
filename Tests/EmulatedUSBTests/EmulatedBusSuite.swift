import EmulatedUSB
import Testing

/// The parent of every suite on the emulated bus: one at a time, since there is one bus in a process.
@Suite(.serialized, .enabled(if: EmulatedBus.isPreloaded, "\(EmulatedBus.howToRun)"))
enum EmulatedBusSuite {}
