import CLinux
import Glibc

/// The terminal as one picture that is shown again and again, and the terminal as it was before afterwards.
///
/// Nothing here blocks: a terminal that does not read gets the newest picture when it reads again, and misses those between.
/// The owner waits for `descriptor` to be writable while `hasBacklog`, and calls `flush`.
final class FullScreen {
    /// Below this there is no room for anything that helps.
    static let smallest = Picture.Size(columns: 40, rows: 12)
    /// What a terminal may take to swallow the end of a picture when the screen is given back, milliseconds.
    private static let partingMs: CInt = 300

    /// A description of our own: that it does not block is no surprise for the programs that share the old one.
    let descriptor: CInt
    private let colour: Bool
    private let before: termios
    private var shown: [Row] = []
    private var next: Picture?
    private var pending: [UInt8] = []
    private var head = 0
    private var isOpen = false

    /// Nil where a screen makes no sense: no terminal, a dumb or a tiny one, or one that belongs to another job.
    init?(on terminal: Terminal) {
        guard terminal.isTerminal, !terminal.isDumb, !Self.isOfAnotherJob(terminal.descriptor) else { return nil }
        descriptor = Glibc.open("/proc/self/fd/\(terminal.descriptor)", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        colour = terminal.colour
        var settings = termios()
        guard descriptor >= 0, tcgetattr(descriptor, &settings) == 0 else {
            if descriptor >= 0 { Glibc.close(descriptor) }
            return nil
        }
        before = settings
        guard Self.fits(size) else {
            Glibc.close(descriptor)
            return nil
        }
        enter()
    }

    deinit {
        close()
        Glibc.close(descriptor)
    }

    /// Asked anew each time: a window may change its size at any time.
    var size: Picture.Size {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return Picture.Size(columns: 0, rows: 0) }
        return Picture.Size(columns: min(Int(size.ws_col), 400), rows: min(Int(size.ws_row), 200))
    }

    var hasBacklog: Bool { head < pending.count || next != nil }

    /// Shows the picture in place of the one before, now or when the terminal reads again.
    func show(_ picture: Picture) {
        next = picture
        flush()
    }

    /// Writes what the terminal takes now.
    func flush() {
        repeat {
            if head == pending.count { encodeNext() }
            guard head < pending.count else { return }
        } while writePending()
    }

    /// The window has another size: what is on it means nothing any more.
    func resized() {
        shown.removeAll()
        pending += "\u{1b}[2J".utf8
    }

    /// The next key that was pressed, if any. Never blocks.
    func key() -> UInt8? {
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1 ? byte : nil
    }

    /// Gives the terminal back, stops this program as the tester asked for, and takes the terminal again when it goes on.
    func stopAndContinue() {
        close()
        kill(getpid(), SIGSTOP)
        enter()
    }

    /// Gives the terminal back. Idempotent.
    func close() {
        guard isOpen else { return }
        isOpen = false
        next = nil
        // Half an escape sequence would swallow the ones that follow.
        pending += ScreenRestoration.leave.utf8
        var waited = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        while head < pending.count, poll(&waited, 1, Self.partingMs) > 0, writePending() {}
        var settings = before
        tcsetattr(descriptor, TCSANOW, &settings)
        ScreenRestoration.disarm()
    }

    private func enter() {
        isOpen = true
        shown.removeAll()
        (pending, head) = (Array("\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J".utf8), 0)
        ScreenRestoration.arm(descriptor, before)
        // Keys come one by one and are not written over the picture; Ctrl-C and Ctrl-Z keep their meaning.
        var settings = before
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(descriptor, TCSANOW, &settings)
        flush()
    }

    /// Only rows that differ are sent: a screen over a thin line stays alive.
    private func encodeNext() {
        pending.removeAll(keepingCapacity: true)
        head = 0
        guard let picture = next else { return }
        next = nil
        for row in 0..<max(picture.rows.count, shown.count) {
            let new = row < picture.rows.count ? picture.rows[row] : Row()
            guard row >= shown.count || shown[row] != new else { continue }
            pending += "\u{1b}[\(row + 1);1H".utf8
            new.encode(into: &pending, colour: colour)
            // Erasing after a full row would take its last cell.
            if new.cells < picture.size.columns { pending += "\u{1b}[K".utf8 }
        }
        shown = picture.rows
    }

    /// Whether more may be tried.
    private func writePending() -> Bool {
        let written = pending.withUnsafeBytes { write(descriptor, $0.baseAddress! + head, $0.count - head) }
        if written > 0 {
            head += written
            return true
        }
        if errno == EINTR { return true }
        if errno != EAGAIN {
            // A terminal that is gone takes nothing ever again; the hang-up ends the program.
            (head, next) = (pending.count, nil)
        }
        return false
    }

    /// A job in the background may not have the screen. Of a terminal that controls no jobs of ours there is nothing to fear.
    private static func isOfAnotherJob(_ descriptor: CInt) -> Bool {
        let group = tcgetpgrp(descriptor)
        return group > 0 && group != getpgrp()
    }

    private static func fits(_ size: Picture.Size) -> Bool {
        size.columns >= smallest.columns && size.rows >= smallest.rows
    }
}
