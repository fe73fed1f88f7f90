import Foundation
import NLOSCore
import Testing
import TransientSensor

@testable import bridge

/// A feed that is a list of events, all at once.
private final class ListFeed: FrameFeed {
    let readiness: CInt? = nil
    let deadlineNs: UInt64? = nil
    let canWait = true
    private var events: [FeedEvent]
    private let last: [FeedEvent]

    init(_ events: [FeedEvent], atTheEnd last: [FeedEvent] = []) {
        self.events = events
        self.last = last
    }

    func start(_ emit: (FeedEvent) -> Void) {}

    func service(_ emit: (FeedEvent) -> Void) -> Drained {
        guard !events.isEmpty else { return .finished }
        emit(events.removeFirst())
        return .more
    }

    func finish(_ emit: (FeedEvent) -> Void) { last.forEach(emit) }
    func close() {}
    func account(in summary: inout CaptureSummary) {}
}

@Suite(.serialized) struct FrameRunTests {
    private static func frame(_ sequence: UInt64, atMs: UInt64, unixMs: UInt64, session: String = "s") throws -> FeedEvent {
        let zones = try TransientZones(
            wallPointsM: [.zero], distancesM: [1], ambient: [0], histograms: [UInt16](repeating: 1, count: 8))
        return .frame(
            try TransientFrame(
                sessionId: SafeLabel(session)!, sequence: sequence, capturedAtUnixMs: unixMs, monotonicNs: atMs * 1_000_000,
                evidence: .synthetic,
                sensor: SensorIdentity(sensorId: SafeLabel("i")!, sensorModel: SafeLabel("m")!, firmwareVersion: SafeLabel("v")!),
                binWidthPs: 250, startBin: 0, pose: .fixed, zones: zones))
    }

    private func run(_ feed: ListFeed, frames: UInt64? = nil) throws -> (bridge.ExitStatus, CaptureSummary) {
        let file = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: file) }
        var run = FrameRun(
            feed: feed, sink: try .file(file, replacing: false), signals: try SignalInbox(), clocks: .system, frameLimit: frames)
        let (status, _) = run.run()
        return (status, run.summary)
    }

    /// B86: a wall clock that is set in mid-run is noted and changes no duration.
    @Test(arguments: [(Int64(3_600_000), UInt64(1)), (-3_600_000, 1), (251, 1), (250, 0), (-250, 0), (0, 0)])
    func aWallClockThatIsSet(byMs step: Int64, steps: UInt64) throws {
        let start: Int64 = 1_700_000_000_000
        let events = try (0..<10).map { (index: Int64) in
            let wall = start + 100 * index + (index >= 5 ? step : 0)
            return try Self.frame(UInt64(index), atMs: UInt64(1_000 + 100 * index), unixMs: UInt64(wall))
        }
        let (status, summary) = try run(ListFeed(events))
        #expect(status == .done)
        #expect(summary.wallClockSteps == steps)
        #expect(summary.framesPerSecond == 10)
    }

    @Test func anotherSessionHasItsOwnClock() throws {
        let events = try [
            Self.frame(0, atMs: 1, unixMs: 1_000_000, session: "a"), Self.frame(0, atMs: 1, unixMs: 9_000_000, session: "b"),
        ]
        #expect(try run(ListFeed(events)).1.wallClockSteps == 0)
    }

    /// Whatever ends a run, what was begun and cannot be kept is counted, and no frame comes after the limit.
    @Test func whatTheEndCutsOffIsCounted() throws {
        let last = try [FeedEvent.refused("row_shape"), Self.frame(2, atMs: 3, unixMs: 3)]
        let events = try [Self.frame(0, atMs: 1, unixMs: 1), Self.frame(1, atMs: 2, unixMs: 2)]
        let (status, summary) = try run(ListFeed(events, atTheEnd: last), frames: 2)
        #expect(status == .done)
        #expect(summary.end == .framesReached)
        #expect(summary.framesEmitted == 2)
        #expect(summary.framesRejected == ["row_shape": 1])
    }
}
