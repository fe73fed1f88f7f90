import CLinux
import Glibc

/// What wakes a session when time has passed or has been set. Used by one thread.
public protocol SessionAlarms: AnyObject {
    /// Readable from the deadline on, until it is set again.
    var deadline: CInt { get }
    /// Readable once somebody has set the wall clock, until `takeClockStep`.
    var clockStep: CInt { get }

    /// Nanoseconds on the boot clock; nil for none.
    func setDeadline(bootNs: UInt64?)
    /// Whether the wall clock was set since this was last asked.
    func takeClockStep() -> Bool
}

/// The kernel's: a timer on `CLOCK_BOOTTIME`, which neither a suspend nor a clock that is set can stretch, and one on `CLOCK_REALTIME`
/// that is there only to be cancelled when the wall clock is set.
public final class KernelAlarms: SessionAlarms {
    public let deadline: CInt
    public let clockStep: CInt

    /// Both timers, no deadline set, and the wall clock watched from now on. Throws where the kernel gives no timer: most often for want
    /// of descriptors (`EMFILE`).
    public init() throws(SystemCallFailure) {
        let deadline = timerfd_create(CLOCK_BOOTTIME, CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK))
        guard deadline >= 0 else { throw SystemCallFailure(operation: "timerfd_create", errno: errno) }
        let clockStep = timerfd_create(CLOCK_REALTIME, CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK))
        guard clockStep >= 0 else {
            let code = errno
            close(deadline)
            throw SystemCallFailure(operation: "timerfd_create", errno: code)
        }
        self.deadline = deadline
        self.clockStep = clockStep
        guard watchWallClock() else { throw SystemCallFailure(operation: "timerfd_settime", errno: errno) }
    }

    deinit {
        close(deadline)
        close(clockStep)
    }

    public func setDeadline(bootNs: UInt64?) {
        var setting = itimerspec()
        // All zero disarms; a deadline at the clock's very beginning is long past, and so is one nanosecond after it.
        if let bootNs { setting.it_value = Self.time(max(1, bootNs)) }
        timerfd_settime(deadline, CInt(TFD_TIMER_ABSTIME), &setting, nil)
    }

    public func takeClockStep() -> Bool {
        var count: UInt64 = 0
        guard read(clockStep, &count, 8) < 0, errno == ECANCELED else { return false }
        // Reading the notice has used it up, and the next step is noticed as well: the timer stays armed.
        return true
    }

    private func watchWallClock() -> Bool {
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: .max, tv_nsec: 0)
        return timerfd_settime(clockStep, CInt(TFD_TIMER_ABSTIME) | CInt(TFD_TIMER_CANCEL_ON_SET), &setting, nil) == 0
    }

    private static func time(_ nanoseconds: UInt64) -> timespec {
        timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
