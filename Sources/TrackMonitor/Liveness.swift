/// Whether the server still lives, by the time since anything came from it.
struct Liveness {
    private let ping: Double
    private let idle: Double
    private var heardAtBootNs: UInt64
    private var isPinged = false

    init(limits: MonitorLimits, bootNs: UInt64) {
        ping = limits.ping
        idle = limits.idle
        heardAtBootNs = bootNs
    }

    enum Due: Equatable {
        case ping, idle
    }

    /// When `due` has something to say, on the boot clock.
    var nextDeadlineBootNs: UInt64 { heardAtBootNs.later(bySeconds: isPinged ? idle : min(ping, idle)) }

    mutating func heard(bootNs: UInt64) {
        heardAtBootNs = bootNs
        isPinged = false
    }

    /// What the silence asks for; a ping once for each silence.
    mutating func due(bootNs now: UInt64) -> Due? {
        if now >= heardAtBootNs.later(bySeconds: idle) { return .idle }
        guard !isPinged, now >= heardAtBootNs.later(bySeconds: ping) else { return nil }
        isPinged = true
        return .ping
    }
}
