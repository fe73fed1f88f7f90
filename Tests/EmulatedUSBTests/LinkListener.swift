import EmulatedUSB
import Foundation
import Glibc
import NLOSCore

@testable import TransientSensor

extension Clocks {
    /// The kernel's own.
    static let kernel = Clocks(
        monotonicNs: { nanoseconds(CLOCK_MONOTONIC) }, bootNs: { nanoseconds(CLOCK_BOOTTIME) },
        unixMs: { nanoseconds(CLOCK_REALTIME) / 1_000_000 })

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// A link's owner, who keeps everything it is given.
final class LinkListener {
    let link: USBLink
    private(set) var bytes: [UInt8] = []
    private(set) var chunkSizes: [Int] = []
    /// Position in `bytes` of each hole.
    private(set) var holes: [Int] = []
    private(set) var error: SensorError?

    init(_ link: USBLink) { self.link = link }

    /// Opens the board as the program would: found by listing, with the reference's line.
    convenience init(opening board: EmulatedBoard, modemLines: ModemLines = .untouched, vcp: Int = 0, bufferBytes: Int = 4 << 20) throws {
        self.init(try Self.open(board, modemLines: modemLines, vcp: vcp, bufferBytes: bufferBytes))
    }

    static func open(
        _ board: EmulatedBoard, modemLines: ModemLines = .untouched, takesAnyRate: Bool = false, vcp: Int = 0,
        bufferBytes: Int = 4 << 20
    ) throws -> USBLink {
        let place = try SensorSelector(unchecked: "usb:\(board.place.port)")
        return try USBLink(
            opening: place.pick(from: Discovery.list().sensors), coding: SensorProfile.nucleoVL53L8CH.lineCoding,
            modemLines: modemLines, takesAnyRate: takesAnyRate, vcp: vcp, clocks: .kernel,
            bufferBytes: bufferBytes)
    }

    /// Waits and drains until `done`, or until the link ends. False when nothing came for `seconds`.
    func listen(seconds: Int32 = 10, until done: (LinkListener) -> Bool) -> Bool {
        while !done(self) {
            guard error == nil else { return false }
            var waited = pollfd(fd: link.readiness, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, seconds * 1000) == 1 else { return false }
            do throws(SensorError) {
                _ = try link.drain { chunk, _ in
                    if chunk.isEmpty { holes.append(bytes.count) } else { chunkSizes.append(chunk.count) }
                    bytes += chunk
                }
            } catch {
                self.error = error
            }
        }
        return true
    }
}

extension SensorSelector {
    init(unchecked text: String) throws {
        guard let selector = SensorSelector(text) else { throw SensorError.notFound(selector: text) }
        self = selector
    }
}

/// Descriptors and threads of this process, counted by the kernel.
struct Holdings: Equatable, CustomStringConvertible {
    let descriptors: Int
    let threads: Int

    static func now() -> Holdings { Holdings(descriptors: count("/proc/self/fd"), threads: count("/proc/self/task")) }

    var description: String { "\(descriptors) descriptors, \(threads) threads" }

    /// True once this process holds no more than that; the emulated side closes its ends a moment after ours.
    static func settle(to wanted: Holdings, seconds: Int = 5) -> Bool {
        for _ in 0..<seconds * 100 {
            let now = now()
            if now.descriptors <= wanted.descriptors, now.threads <= wanted.threads { return true }
            _ = poll(nil, 0, 10)
        }
        return false
    }

    private static func count(_ directory: String) -> Int {
        guard let stream = opendir(directory) else { return -1 }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
    }
}

/// Which signals each thread of this process has blocked, as the kernel's bit mask, by thread id.
enum ThreadSignals {
    static func blocked() -> [String: UInt64] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return Dictionary(
            uniqueKeysWithValues: tasks.compactMap { task in
                let status = KernelFiles.read("/proc/self/task/\(task)/status", limit: 8192) ?? []
                let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
                return line.flatMap { UInt64($0.dropFirst(7).drop(while: \.isWhitespace), radix: 16) }.map { (task, $0) }
            })
    }
}
