import NLOSCore
import Testing

@Suite struct ClocksTests {
    /// B89: a clock that goes back gives no time, and no trap.
    @Test func intervalsOfAClockThatGoesBack() {
        let stamps: [UInt64] = [100, 100, 99, 101]
        #expect(zip(stamps, stamps.dropFirst()).map { interval(from: $0, to: $1) } == [0, 0, 2])
        #expect(interval(from: .max, to: 0) == 0 && interval(from: 0, to: .max) == .max)
    }
}
