import Glibc
import NLOSCore
import Testing

@testable import TransientSensor

private func isReadable(_ descriptor: CInt, withinMs timeout: CInt) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, timeout) == 1 && entry.revents & Int16(POLLIN) != 0
}

/// Drains until nothing more comes.
private func drainAll(_ source: SimulatedSource, rounds: Int = .max) throws -> (bytes: [UInt8], arrivals: [Arrival]) {
    var bytes: [UInt8] = []
    var arrivals: [Arrival] = []
    for _ in 0..<rounds {
        let drained = try source.drain {
            bytes.append(contentsOf: $0)
            arrivals.append($1)
        }
        if drained == .idle { break }
    }
    return (bytes, arrivals)
}

struct SimulatedSourceTests {
    @Test(arguments: SimulatedScene.all.map(\.name))
    func aSimulatedSensorIsSyntheticAndNamed(name: String) throws {
        let source = try SimulatedSource(scene: try .named(name), clocks: HandClock().clocks)
        #expect(source.origin == .synthetic)
        #expect(source.path == "sim:\(name)")
        #expect(source.bytesLost == 0)
    }

    @Test func anUnknownNameGetsTheListOfNames() {
        let error = #expect(throws: UnknownScene.self) { try SimulatedScene.named("white-wall") }
        #expect(error?.message.next == "one of sim:matte-wall, sim:hidden-target, sim:dark-wall, sim:moving, sim:near-wall, sim:corner")
    }

    @Test func timePassesAsTheClockDoes() throws {
        let clock = HandClock()
        let source = try SimulatedSource(scene: .matteWall, clocks: clock.clocks)
        #expect(try drainAll(source).bytes.isEmpty)
        clock.pass(ms: 1_000)
        let (bytes, arrivals) = try drainAll(source)
        #expect((40_000...110_000).contains(bytes.count))
        // When the board said it, not when somebody came for it.
        let now = Arrival.now(clock.clocks)
        #expect(arrivals.allSatisfy { now.unixMs - $0.unixMs == (now.monotonicNs - $0.monotonicNs) / 1_000_000 })
        let times = arrivals.map(\.monotonicNs)
        #expect(times == times.sorted() && Set(times).count > 10)
        #expect(try drainAll(source).bytes.isEmpty)
        #expect(source.bytesLost == 0)
    }

    @Test func itIsReadableWhenThereIsWork() throws {
        let clock = HandClock()
        let source = try SimulatedSource(scene: .matteWall, faults: FaultSwitches(["delay=3000"]), clocks: clock.clocks)
        #expect(!isReadable(source.readiness, withinMs: 0), "nothing is due for 50 minutes")
        clock.pass(ms: 2_999_999)
        #expect(try drainAll(source).bytes.isEmpty)
        #expect(isReadable(source.readiness, withinMs: 5000), "due in a millisecond")
        clock.pass(ms: 1)
        _ = try drainAll(source)
        #expect(isReadable(source.readiness, withinMs: 5000))
    }

    @Test func aLongPauseIsCaughtUpInBoundedAmounts() throws {
        let clock = HandClock()
        let source = try SimulatedSource(scene: .matteWall, clocks: clock.clocks)
        clock.pass(ms: 5_000)
        var handed = 0
        #expect(try source.drain { bytes, _ in handed += bytes.count } == .more)
        #expect(handed < 65_536 + 256)
        #expect(isReadable(source.readiness, withinMs: 5000))
    }

    @Test func aConfigurationTakesEffect() throws {
        let clock = HandClock()
        let source = try SimulatedSource(scene: .matteWall, clocks: clock.clocks)
        clock.pass(ms: 500)
        _ = try drainAll(source)
        try source.send(packet())
        clock.pass(ms: 5_000)
        let text = String(decoding: try drainAll(source).bytes, as: UTF8.self)
        #expect(text.contains("Resolution: 16\nSensor configuration applied and ranging started.\nD\n0 "))
    }

    @Test func withoutAPaceItHasItsOwnTime() throws {
        let clock = HandClock()
        let source = try SimulatedSource(scene: .matteWall, pace: .unlimited, clocks: clock.clocks)
        #expect(isReadable(source.readiness, withinMs: 5000))
        var (bytes, arrivals) = try drainAll(source, rounds: 4)
        #expect(bytes.count >= 4 * 65_536)
        #expect(isReadable(source.readiness, withinMs: 5000), "there is always more")
        #expect(zip(arrivals, arrivals.dropFirst()).allSatisfy { $0.monotonicNs <= $1.monotonicNs && $0.unixMs <= $1.unixMs })
        let first = try #require(arrivals.first)
        let last = try #require(arrivals.last)
        #expect(first.monotonicNs >= 5_000_000_000 && first.unixMs >= 1_700_000_000_000)
        #expect(last.monotonicNs - first.monotonicNs > 2_000_000_000, "at 110 kB/s at most")
        try source.send(packet())
        (bytes, arrivals) = try drainAll(source, rounds: 4)
        #expect(String(decoding: bytes, as: UTF8.self).contains("Resolution: 16\n"))
    }

    @Test func anUnpluggedBoardGivesWhatItSentAndThenSaysSo() throws {
        let clock = HandClock()
        let source = try SimulatedSource(scene: .matteWall, faults: FaultSwitches(["unplug-after=10000"]), clocks: clock.clocks)
        clock.pass(ms: 2_000)
        var bytes = 0
        #expect(try source.drain { part, _ in bytes += part.count } == .more)
        #expect(bytes == 10_000)
        #expect(isReadable(source.readiness, withinMs: 5000))
        for _ in 0..<2 {
            #expect(throws: SensorError.unplugged(path: "sim:matte-wall")) { try source.drain { _, _ in } }
        }
        #expect(throws: SensorError.unplugged(path: "sim:matte-wall")) { try source.send([0]) }
    }

    @Test func closingGivesTheDescriptorBack() throws {
        let source = try SimulatedSource(scene: .matteWall, clocks: HandClock().clocks)
        let descriptor = source.readiness
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        source.close()
        source.close()
        #expect(source.readiness == -1)
        #expect(throws: SensorError.unplugged(path: "sim:matte-wall")) { try source.drain { _, _ in } }
    }
}
