import CLinux
import Glibc
public import NLOSCore

/// What the kernel tells of a serial port without opening it: an opening raises DTR, of which some boards start anew.
public struct PortFacts: Equatable, Sendable {
    /// As `TTYLink` would name it: `tty:/dev/ttyACM0`.
    public let path: String
    /// The device node, with symbolic links followed.
    public let node: String
    /// `ready`, `denied` or `busy`. A port is busy when it is locked, or when another process has it open, as far as this process may look:
    /// its own user's, all of them for root. Exclusive mode shows only when it is opened.
    public let access: AttachedSensor.Access
    /// A program is at the other end and no board, so its emulator has it open as a matter of course: only a lock makes it busy.
    public let isPseudoTerminal: Bool
    /// What a `TTYLink` would say of the bytes, by the numbers of the node. `/dev/tty` and `/dev/console` stand for another tty, and
    /// only an opening tells which.
    public let origin: FrameSource

    /// Throws `notFound` for a path where nothing is, `noSerialInterface` for what is no tty, `denied` where not even the
    /// folder may be looked into, or `system`.
    public init(asking path: String) throws(SensorError) {
        node = TTYLink.resolved(path)
        self.path = "tty:\(node)"
        var facts = stat()
        guard stat(node, &facts) == 0 else { throw Port.failure(errno, operation: "stat", path: self.path, node: node) }
        let number = (major: gnu_dev_major(facts.st_rdev), minor: gnu_dev_minor(facts.st_rdev))
        // The kernel lists pseudo-terminals under no class.
        let kind = KernelFiles.linkTarget("/sys/dev/char/\(number.major):\(number.minor)/subsystem")
        guard facts.st_mode & S_IFMT == S_IFCHR, kind?.hasSuffix("/tty") != false else {
            throw .noSerialInterface(path: self.path)
        }
        isPseudoTerminal = Port.isPseudoTerminal(number.major)
        origin = Port.hasDevice(number.major, number.minor) ? .live : .synthetic
        let isHeld = !isPseudoTerminal && !KernelFiles.held(among: [node]).isEmpty
        access = !KernelFiles.mayOpen(node) ? .denied : isHeld || KernelFiles.isLocked(facts) ? .busy : .ready
    }
}
