import CLinux
import Glibc
import NLOSCore
import Testing

@testable import TrackMonitor

struct WaitingTests {
    let time = ManualTime()

    private func makeWaiting(_ stop: StopRequest) -> Waiting { Waiting(stop: stop, alarms: time.makeAlarms(), clocks: time.clocks) }

    @Test("A deadline that is past wakes at once; one that comes during the wait wakes then") func deadline() throws {
        var waiting = makeWaiting(try StopRequest())
        #expect(waiting.wait(-1, until: time.bootNs) == .deadline)
        #expect(waiting.wait(-1, until: 0) == .deadline)
        let deadline = time.bootNs + 1_000_000_000
        let mover = try startThread { [time] in
            time.pass(seconds: 0.5)
            time.suspend(seconds: 0.5)
        }
        #expect(waiting.wait(-1, until: deadline) == .deadline)
        pthread_join(mover, nil)
    }

    @Test("Its owner's wish wakes, once for each wish") func stop() throws {
        let stop = try StopRequest()
        var waiting = makeWaiting(stop)
        stop.raise()
        #expect(waiting.wait(-1, until: nil) == .stop)
        #expect(!stop.isUrgent)
        stop.raise()
        #expect(throws: SessionEnd.stopped) { try waiting.waitQuietly(-1, until: time.bootNs + 1) }
        #expect(stop.isUrgent)
        #expect(waiting.wait(-1, until: time.bootNs) == .deadline)
    }

    @Test("A step of the wall clock wakes, once, and is no news while nothing is on display") func clockStep() throws {
        var waiting = makeWaiting(try StopRequest())
        // Sets the alarms up, as the first wait of a session does.
        #expect(waiting.wait(-1, until: 0) == .deadline)
        time.step(seconds: -1)
        #expect(waiting.wait(-1, until: nil) == .clockStep)
        time.step(seconds: 1)
        #expect(try waiting.waitQuietly(-1, until: time.bootNs) == .deadline)
    }

    @Test("A socket wakes for what was asked and for nothing else") func socket() throws {
        var ends: [CInt] = [-1, -1]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        var waiting = makeWaiting(try StopRequest())
        #expect(waiting.wait(ends[0], readable: true, writable: true, until: nil) == .writable)
        #expect(write(ends[1], "x", 1) == 1)
        #expect(waiting.wait(ends[0], readable: true, until: nil) == .readable)
        #expect(waiting.wait(ends[0], readable: true, writable: true, until: nil) == [.readable, .writable])
        // A hang-up wakes whoever reads, and nobody who waits for other things.
        close(ends[1])
        #expect(waiting.wait(ends[0], until: time.bootNs) == .deadline)
        #expect(waiting.wait(ends[0], readable: true, until: nil).contains(.readable))
        close(ends[0])
    }

    @Test(
        "Seconds become nanoseconds, and stop at the clock's end",
        arguments: [
            (0.0, 7), (1.5, 1_500_000_007), (1e30, UInt64.max), (.infinity, .max), (.nan, .max),
        ] as [(Double, UInt64)])
    func later(seconds: Double, expected: UInt64) { #expect(UInt64(7).later(bySeconds: seconds) == expected) }
}

struct KernelAlarmsTests {
    private func isReadable(_ descriptor: CInt, withinMs limit: CInt) -> Bool {
        var entry = pollfd(fd: descriptor, events: CShort(POLLIN), revents: 0)
        return poll(&entry, 1, limit) == 1
    }

    @Test("The kernel rings at a time on the boot clock, until it is told another") func deadline() throws {
        let alarms = try KernelAlarms()
        #expect(!isReadable(alarms.deadline, withinMs: 0))
        alarms.setDeadline(bootNs: Clocks.kernel.bootNs() + 20_000_000)
        #expect(isReadable(alarms.deadline, withinMs: 10_000))
        #expect(isReadable(alarms.deadline, withinMs: 0))
        alarms.setDeadline(bootNs: .max)
        #expect(!isReadable(alarms.deadline, withinMs: 0))
        alarms.setDeadline(bootNs: 0)
        #expect(isReadable(alarms.deadline, withinMs: 10_000))
        alarms.setDeadline(bootNs: nil)
        #expect(!isReadable(alarms.deadline, withinMs: 0))
    }

    @Test("While nobody sets the wall clock nothing is noticed") func clockStep() throws {
        let alarms = try KernelAlarms()
        #expect(!isReadable(alarms.clockStep, withinMs: 0))
        #expect(!alarms.takeClockStep())
    }

    /// Setting the clock, even to what it says, would be noticed by every other test that watches it; so the kernel is asked what it was
    /// told. 1 is an absolute time (`TFD_TIMER_ABSTIME`), 2 a notice when the clock is set (`TFD_TIMER_CANCEL_ON_SET`).
    @Test("The kernel is asked to tell when the wall clock is set, and of no earlier time") func clockStepIsArmed() throws {
        let alarms = try KernelAlarms()
        _ = alarms.takeClockStep()
        let file = try #require(fopen("/proc/self/fdinfo/\(alarms.clockStep)", "r"))
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&text, 1, text.count, file)
        let lines = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("clockid: \(CLOCK_REALTIME)"), "\(lines)")
        #expect(lines.contains("settime flags: 03"), "\(lines)")
        #expect(!lines.contains("it_value: (0, 0)"), "\(lines)")
    }
}
