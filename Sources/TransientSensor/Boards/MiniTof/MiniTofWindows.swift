/// Puts the windows of a firmware that moves its histogram's first bin together, or passes readings on where the window stands still.
///
/// Of the readings of one window only the one counts that says 2 readings since the move: those before it were begun with the old one.
/// Which windows there are is taken from the start bins that come, never from a place in the cycle, and is learned from two equal cycles.
/// Source: the public reader; no public firmware moves its window.
struct MiniTofWindows: Sendable {
    enum Outcome {
        case frame(FirmwareFrame, bytes: UInt64)
        case refused(FrameFault, bytes: UInt64)
    }

    /// The reading of a window that counts.
    private static let settled = 2
    /// So many readings with one start: a moved window would have been seen.
    private static let still = 4
    /// More windows than any cycle has.
    private static let mostWindows = 8
    private static let physicalBins = 128

    private enum Mode {
        /// Readings with one and the same start, fewer than `still`.
        case undecided([MiniTofReading])
        case still(start: Int)
        case moving
    }

    private var mode = Mode.undecided([])
    /// Settled readings of the cycle that is being collected, in the order that they came.
    private var collected: [MiniTofReading] = []
    /// Of all readings since the last cycle.
    private var bytes: UInt64 = 0
    /// The newest reading's window.
    private var current: Current?
    /// Starts of a whole cycle, in the order that they come; empty while that is learned.
    private var order: [Int] = []
    private var candidate: (order: [Int], frame: FirmwareFrame, bytes: UInt64)?
    /// The window whose counting reading came last, once the order is known.
    private var lastSettled: Int?
    private var strangers = 0

    private struct Current {
        let start: Int
        /// It was seen to begin.
        let isWhole: Bool
        /// The reading that counts has come.
        var hasSettled = false
    }

    /// Windows in a frame, and the first one's first bin; nil while that is being found out.
    var place: (count: Int, startBin: Int)? {
        switch mode {
        case .undecided: nil
        case .still(let start): (1, start)
        case .moving: order.min().map { (order.count, $0) }
        }
    }

    /// Windows came twice in a row that are none of `place`: its frames would be labelled with the wrong bins.
    var hasChanged: Bool { strangers >= 2 }

    /// Takes a reading whose window is known.
    mutating func take(_ reading: MiniTofReading, _ tell: (Outcome) -> Void) {
        guard let window = reading.window else { return }
        switch mode {
        case .undecided(var waiting):
            let moves = waiting.last.map { $0.window?.start != window.start } ?? false
            waiting.append(reading)
            if moves {
                mode = .moving
                for reading in waiting { take(reading, tell) }
            } else if waiting.count == Self.still {
                mode = .still(start: window.start)
                for reading in waiting { take(reading, tell) }
            } else {
                mode = .undecided(waiting)
            }
        case .still(window.start):
            strangers = 0
            tell(.frame(reading.frame, bytes: reading.bytes))
        case .still:
            strangers += 1
            tell(.refused(.missingPart, bytes: reading.bytes))
        case .moving: collect(reading, window, tell)
        }
    }

    /// Bytes are missing, or the board has started anew: what waits for more readings is given up. Returns the bytes of each.
    mutating func lose() -> [UInt64] {
        var lost = [candidate?.bytes, bytes > 0 ? bytes : nil].compactMap(\.self)
        if case .undecided(let waiting) = mode {
            lost += waiting.map(\.bytes)
            mode = .undecided([])
        }
        candidate = nil
        startOver()
        current = nil
        lastSettled = nil
        return lost
    }

    private mutating func collect(_ reading: MiniTofReading, _ window: MiniTofReading.Window, _ tell: (Outcome) -> Void) {
        if current?.start != window.start {
            // The window that ends now gave no reading that counts.
            if let current, !current.hasSettled, current.isWhole || !collected.isEmpty { refuse(.missingPart, tell) }
            current = Current(start: window.start, isWhole: current != nil)
        }
        guard window.sinceMove == Self.settled else {
            bytes += reading.bytes
            return
        }
        if current?.hasSettled == true {
            // Twice: which of the two belongs to its neighbours?
            bytes += reading.bytes
            return refuse(.missingPart, tell)
        }
        current?.hasSettled = true
        if order.isEmpty {
            learn(reading, window.start, tell)
        } else {
            follow(reading, window.start, tell)
        }
    }

    private mutating func follow(_ reading: MiniTofReading, _ start: Int, _ tell: (Outcome) -> Void) {
        guard let place = order.firstIndex(of: start) else {
            strangers += 1
            bytes += reading.bytes
            return refuse(.malformed, tell)
        }
        strangers = 0
        if let lastSettled, order[(place + order.count - 1) % order.count] != lastSettled { refuse(.missingPart, tell) }
        lastSettled = start
        add(reading)
        guard collected.count == order.count else { return }
        tell(.frame(joined(), bytes: bytes))
        startOver()
    }

    private mutating func learn(_ reading: MiniTofReading, _ start: Int, _ tell: (Outcome) -> Void) {
        if collected.count == Self.mostWindows {
            refuse(.missingPart, tell)
        } else if collected.contains(where: { $0.window?.start == start }) {
            endCycle(tell)
        }
        add(reading)
    }

    /// The next reading begins another cycle.
    private mutating func endCycle(_ tell: (Outcome) -> Void) {
        let found = fromSmallest(collected.compactMap { $0.window?.start })
        guard isContiguous(found) else { return refuse(.malformed, tell) }
        if let first = candidate, first.order == found {
            candidate = nil
            order = found
            tell(.frame(first.frame, bytes: first.bytes))
            tell(.frame(joined(), bytes: bytes))
        } else {
            if let candidate { tell(.refused(.missingPart, bytes: candidate.bytes)) }
            candidate = (found, joined(), bytes)
        }
        startOver()
    }

    /// The same cycle, whichever window it was seen to begin with.
    private func fromSmallest(_ starts: [Int]) -> [Int] {
        let first = starts.indices.min { starts[$0] < starts[$1] } ?? 0
        return Array(starts[first...] + starts[..<first])
    }

    private mutating func add(_ reading: MiniTofReading) {
        collected.append(reading)
        bytes += reading.bytes
    }

    private mutating func refuse(_ fault: FrameFault, _ tell: (Outcome) -> Void) {
        tell(.refused(fault, bytes: bytes))
        startOver()
    }

    private mutating func startOver() {
        collected.removeAll(keepingCapacity: true)
        bytes = 0
    }

    /// Each window begins where the one before it ends. How wide they are is known of the public firmwares' bins only.
    private func isContiguous(_ starts: [Int]) -> Bool {
        guard let bins = collected.first?.frame.bins, let subsample = MiniTofLayout.subsample(bins: bins) else { return false }
        let (sorted, width) = (starts.sorted(), bins * subsample)
        return starts.count > 1 && sorted[0] + starts.count * width <= Self.physicalBins
            && sorted.enumerated().allSatisfy { $1 == sorted[0] + $0 * width }
    }

    /// One frame of all windows, by their first bins. Ambient levels and distances are those of the newest.
    private func joined() -> FirmwareFrame {
        let newest = collected[collected.count - 1].frame
        let windows = collected.sorted { ($0.window?.start ?? 0) < ($1.window?.start ?? 0) }
        var histogram: [Int64] = []
        histogram.reserveCapacity(newest.zones * newest.bins * windows.count)
        for zone in 0..<newest.zones {
            for window in windows { histogram += window.frame.histogram[zone * newest.bins..<(zone + 1) * newest.bins] }
        }
        return FirmwareFrame(
            bins: newest.bins * windows.count, ambient: newest.ambient, distanceMm: newest.distanceMm, histogram: histogram,
            arrival: newest.arrival)
    }
}
