/// Hears bytes of a port with an unknown firmware, and knows its own firmware's from all others.
///
/// A plain value, as a decoder is: no clock, no I/O, the same answer for any split of the same bytes, bounded memory.
protocol FirmwareWitness: Sendable {
    /// True once what was heard so far can only be this firmware's: a whole frame, or words that no other firmware has.
    mutating func recognizes(_ chunk: UnsafeRawBufferPointer) -> Bool
}

/// Listens for every known firmware at once.
public struct FirmwareRecognizer: Sendable {
    private var witnesses: [(profile: SensorProfile, witness: any FirmwareWitness)]

    /// `coding` is what the port is set to: of firmwares that say the same, the one that speaks at this rate is meant.
    public init(at coding: LineCoding) {
        let (expected, others) = (
            SensorProfile.all.filter { $0.lineCoding == coding }, SensorProfile.all.filter { $0.lineCoding != coding }
        )
        witnesses = (expected + others).map { ($0, $0.makeWitness()) }
    }

    /// The firmware that speaks, once that is beyond doubt.
    public mutating func hear(_ chunk: UnsafeRawBufferPointer) -> SensorProfile? {
        var known: SensorProfile?
        for index in witnesses.indices where witnesses[index].witness.recognizes(chunk) {
            known = known ?? witnesses[index].profile
        }
        return known
    }
}
