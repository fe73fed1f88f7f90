import CLinux
import Foundation
import NLOSCore

/// A pseudo-terminal with the test at its device end: the board of these tests.
final class PseudoTerminal {
    /// The end that a board would be at; closing it is pulling the plug.
    private(set) var board: CInt
    /// The node to open, as in `/dev/pts/3`.
    let node: String
    /// Kept open, so that settings outlive the link and can be looked at.
    let keeper: CInt

    init() throws {
        var name = [CChar](repeating: 0, count: 64)
        var ends: (board: CInt, host: CInt) = (-1, -1)
        guard openpty(&ends.board, &ends.host, &name, nil, nil) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        (board, keeper) = ends
        for end in [board, keeper] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        node = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit {
        unplug()
        close(keeper)
    }

    func unplug() {
        guard board >= 0 else { return }
        close(board)
        board = -1
    }

    func say(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { write(board, $0.baseAddress, $0.count) }
    }

    /// What the host wrote, waiting for at most a second for `count` bytes of it.
    func hear(_ count: Int) -> [UInt8] {
        var heard: [UInt8] = []
        while heard.count < count, isReadable(board, milliseconds: 1000) {
            var chunk = [UInt8](repeating: 0, count: count - heard.count)
            let got = read(board, &chunk, chunk.count)
            guard got > 0 else { break }
            heard += chunk[..<got]
        }
        return heard
    }

    var settings: nlos_termios2 {
        var settings = nlos_termios2()
        _ = nlos_tty_get(keeper, &settings)
        return settings
    }
}

func isReadable(_ descriptor: CInt, milliseconds: CInt) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, milliseconds) > 0
}

/// Descriptors this process has open on one of these (a path, or a beginning of one; `anon_inode:[timerfd]`), as the kernel
/// names them. What the test runner opens and closes meanwhile is not among them.
func openDescriptors(on targets: String...) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        return targets.contains { target?.hasPrefix($0) ?? false }
    }
}

extension Clocks {
    /// The kernel's clocks.
    static let kernel = Clocks(
        monotonicNs: { nanoseconds(CLOCK_MONOTONIC) }, bootNs: { nanoseconds(CLOCK_BOOTTIME) },
        unixMs: { nanoseconds(CLOCK_REALTIME) / 1_000_000 })

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}
