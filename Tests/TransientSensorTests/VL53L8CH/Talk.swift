import NLOSCore

@testable import TransientSensor

/// A session, a clock that only moves when told to, and everything the session has said.
struct Talk {
    var session: VL53L8CHSession
    /// Milliseconds.
    private(set) var now: UInt64 = 0
    private(set) var outputs: [SessionOutput] = []
    private var seen = 0

    init(_ mode: VL53L8CHSession.Mode) {
        session = VL53L8CHSession(mode: mode, path: "usb:1-4")
        var first: [SessionOutput] = []
        session.start(nowNs: 0) { first.append($0) }
        outputs = first
    }

    /// Lets time pass, with a tick at every moment that the session asked for.
    mutating func wait(_ ms: UInt64) {
        let end = (now + ms) * 1_000_000
        var said: [SessionOutput] = []
        var ticks = 0
        while let due = session.deadlineNs, due <= end {
            session.tick(nowNs: max(due, now * 1_000_000)) { said.append($0) }
            ticks += 1
            precondition(ticks < 1_000, "a deadline that stays due")
        }
        now += ms
        outputs += said
    }

    mutating func hear(_ text: String) { hear(Array(text.utf8)) }

    mutating func hear(_ bytes: [UInt8]) {
        var said: [SessionOutput] = []
        bytes.withUnsafeBytes { session.push($0, at(now)) { said.append($0) } }
        outputs += said
    }

    /// Hears what comes after a time in which nobody read or looked at the clock.
    mutating func hearLate(_ ms: UInt64, _ text: String) {
        now += ms
        hear(text)
    }

    /// Bytes heard so far.
    var heardBytes: UInt64 { session.counters.bytesReceived }

    mutating func lose() {
        var said: [SessionOutput] = []
        session.lostBytes(nowNs: now * 1_000_000) { said.append($0) }
        outputs += said
    }

    mutating func finish() {
        var said: [SessionOutput] = []
        session.finish { said.append($0) }
        outputs += said
    }

    /// Hears a stream of frames, one a tenth of a second.
    mutating func stream(_ frames: Range<Int>, zones: Int, bins: Int) {
        for frame in frames {
            wait(100)
            hear(FirmwareText.text(FirmwareText.values(frame: frame, zones: zones, bins: bins)))
        }
    }

    /// Bytes sent so far.
    var sent: [UInt8] { outputs.flatMap { if case .send(let bytes) = $0 { bytes } else { [UInt8]() } } }
    var sends: [[UInt8]] { outputs.compactMap { if case .send(let bytes) = $0 { bytes } else { nil } } }
    var frames: [FirmwareFrame] { outputs.compactMap { if case .frame(let frame) = $0 { frame } else { nil } } }
    var faults: [FrameFault] { outputs.compactMap { if case .rejected(let fault) = $0 { fault } else { nil } } }
    var gaps: [GapReason] { outputs.compactMap { if case .gap(let reason, _) = $0 { reason } else { nil } } }
    var notices: [Message] { outputs.compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }
    var failures: [SensorError] { outputs.compactMap { if case .failed(let error) = $0 { error } else { nil } } }
}
