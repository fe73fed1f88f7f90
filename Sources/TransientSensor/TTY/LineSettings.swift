import CLinux
import Glibc

/// A tty's settings with the line rate as a number, as the kernel keeps them (`struct termios2`).
///
/// 2,250,000 baud has no constant in `termios`; `BOTHER` says that the rate is the number beside it.
struct LineSettings {
    private(set) var kernel: nlos_termios2

    /// Every byte as it comes, no echo, no flow control, 8 data bits, one stop bit.
    ///
    /// `HUPCL` stays off: dropping DTR on close restarts boards with an auto-reset circuit.
    init(raw coding: LineCoding) {
        var raw = nlos_termios2()
        raw.c_cflag = UInt32(CS8 | CREAD | CLOCAL) | NLOS_BOTHER
        switch coding.parity {
        case .none: break
        case .odd: raw.c_cflag |= UInt32(PARENB | PARODD)
        case .even: raw.c_cflag |= UInt32(PARENB)
        }
        raw.c_ispeed = coding.baud
        raw.c_ospeed = coding.baud
        // VTIME (5) and VMIN (6): a read without data says EAGAIN, so that 0 bytes can only mean a hang-up.
        raw.c_cc.5 = 0
        raw.c_cc.6 = 1
        kernel = raw
    }

    private init(kernel: nlos_termios2) {
        self.kernel = kernel
    }

    /// What the tty has now; nil with `errno` set when `descriptor` is no tty.
    static func current(of descriptor: CInt) -> LineSettings? {
        var settings = nlos_termios2()
        return nlos_tty_get(descriptor, &settings) == 0 ? LineSettings(kernel: settings) : nil
    }

    /// Gives them to the tty at once. False with `errno` set when the driver refuses.
    func apply(to descriptor: CInt) -> Bool {
        withUnsafePointer(to: kernel) { nlos_tty_set(descriptor, $0) == 0 }
    }

    /// Bits a second, in the direction that is further from `asked`.
    func rate(against asked: UInt32) -> UInt32 {
        let outward = kernel.c_ospeed
        let inward = kernel.c_ispeed
        return distance(inward, asked) > distance(outward, asked) ? inward : outward
    }

    /// The same settings for handing the port back.
    ///
    /// Without `HUPCL`, so that closing does not restart the board, and without echo: a streaming board would have its own bytes
    /// sent back to it before the port is closed, and its command receiver never gets back into step.
    var forHandingBack: LineSettings {
        var settings = kernel
        settings.c_cflag &= ~UInt32(HUPCL)
        settings.c_lflag &= ~UInt32(ECHO | ECHONL)
        return LineSettings(kernel: settings)
    }
}

private func distance(_ one: UInt32, _ other: UInt32) -> UInt32 { one > other ? one - other : other - one }
