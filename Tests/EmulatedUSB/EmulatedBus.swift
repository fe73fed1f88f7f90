internal import CUMockdev
internal import Foundation

/// A USB host with nothing plugged in, seen by libusb, libudev and children of this process instead of the machine's own.
///
/// There can be one at a time in a process. It works only under umockdev's preload library, see `isPreloaded`.
public final class EmulatedBus: Sendable {
    /// Whether the preload library is active in this process: it is there, and calls go to it first.
    public static var isPreloaded: Bool {
        guard let preload = dlopen("libumockdev-preload.so.0", RTLD_LAZY | RTLD_NOLOAD) else { return false }
        defer { dlclose(preload) }
        return dlsym(nil, "ioctl") == dlsym(preload, "ioctl")
    }
    /// What a suite says when it is skipped.
    public static let howToRun = "needs umockdev's preload library: umockdev-wrapper swift test --filter EmulatedUSBTests"

    /// All flags that a Linux 6.1 host controller without limits reports.
    public static let allCapabilities: UInt32 = 0x1FF
    /// Zero packet, bulk continuation and reap after disconnect only: libusb cuts transfers into 16 KiB pieces.
    public static let fewCapabilities: UInt32 = 0x13
    /// Nothing at all: an old kernel.
    public static let noCapabilities: UInt32 = 0

    private struct Slots {
        var boards: [String: EmulatedBoard] = [:]
        var nextDevnum: [Int: Int] = [:]
    }

    private static let occupied = Watched(false)
    private let testbed = Testbed()
    private let slots = Watched(Slots())
    private let ttyNames = Watched<Set<Int>>([])

    public init() {
        precondition(Self.isPreloaded, Self.howToRun)
        precondition(
            Self.occupied.change { taken in
                defer { taken = true }
                return !taken
            }, "one emulated bus at a time: put the suite under a serialized one")
        // A session's leader without a terminal (as under setsid) gets the first node it opens for one, and would die of its hang-up.
        if getsid(0) == getpid() { signal(SIGHUP, SIG_IGN) }
    }

    deinit {
        let boards = slots.read(\.boards).values
        for board in boards.sorted(by: { $0.syspath.count > $1.syspath.count }) { unplug(board) }
        Self.occupied.change { $0 = false }
    }

    /// Plugs a board in and returns when sysfs, the node and the announcements are out.
    ///
    /// - Parameters:
    ///   - port: Bus, dash, port chain. The hub of a longer chain must be plugged in before.
    ///   - devnum: The device number; the next free one if nil.
    @discardableResult
    public func plug(
        _ model: BoardModel, at port: String = "1-4", serial: SerialNumber = "066EFF373535503457062922", devnum: Int? = nil,
        capabilities: UInt32 = EmulatedBus.allCapabilities, prepare: (EmulatedBoard) -> Void = { _ in }
    ) throws -> EmulatedBoard {
        guard let bus = port.split(separator: "-").first.flatMap({ Int($0) }), port.contains("-") else {
            throw BusFailure("a port is called 1-4 or 1-1.3, not \(port)")
        }
        let root = "usb\(bus)"
        if slots.read({ $0.boards[root] == nil }) {
            try insert(.rootHub, at: root, bus: bus, parent: nil, serial: "0000:00:14.0", devnum: 1, capabilities: capabilities)
        }
        let parent = port.lastIndex(of: ".").map { String(port[..<$0]) } ?? root
        return try insert(
            model, at: port, bus: bus, parent: parent, serial: serial, devnum: devnum, capabilities: capabilities, prepare: prepare)
    }

    @discardableResult
    private func insert(
        _ model: BoardModel, at port: String, bus: Int, parent: String?, serial: SerialNumber, devnum: Int?, capabilities: UInt32,
        prepare: (EmulatedBoard) -> Void = { _ in }
    ) throws -> EmulatedBoard {
        var above = "/sys/devices/pci0000:00/0000:00:14.0"
        if let parent {
            guard let hub = slots.read({ $0.boards[parent] }) else { throw BusFailure("nothing is plugged in at \(parent)") }
            above = hub.syspath
        }
        let number = slots.change { slots in
            let number = devnum ?? slots.nextDevnum[bus] ?? 1
            slots.nextDevnum[bus] = max(slots.nextDevnum[bus] ?? 1, number + 1)
            return number
        }
        let place = BusPlace(port: port, bus: bus, devnum: number)
        let sysfs = BoardSysfs(testbed: testbed, place: place, syspath: "\(above)/\(port)", ttyNames: ttyNames)
        let board = try EmulatedBoard(model, serial: serial, place: place, sysfs: sysfs, capabilities: capabilities)
        prepare(board)
        let handler = IoctlHandler(board)
        try testbed.attach(handler.base, to: place.devnode)
        slots.change { $0.boards[port] = board }
        try board.appear()
        return board
    }

    /// Pulls a board out, with everything that hangs on it.
    public func unplug(_ board: EmulatedBoard, order: UnplugOrder = .transfersFirst) {
        let below = slots.read { slots in slots.boards.values.filter { $0.syspath.hasPrefix(board.syspath + "/") } }
        for child in below.sorted(by: { $0.syspath.count > $1.syspath.count }) { unplug(child, order: order) }
        slots.change { slots in
            if slots.boards[board.place.port] === board { slots.boards[board.place.port] = nil }
        }
        board.pull(order)
        testbed.detach(board.place.devnode)
    }

    /// Runs `body` on this thread with the rights of an unprivileged user, so that node permissions count even for root.
    public static func asNobody<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard getuid() == 0 else { return try body() }
        precondition(nlos_thread_user(nobody) == 0, "cannot become an unprivileged user")
        defer { precondition(nlos_thread_user(0) == 0, "cannot become root again") }
        return try body()
    }

    static let nobody: UInt32 = 65534
}
