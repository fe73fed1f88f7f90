import Foundation
import Glibc
import Testing

@testable import TransientSensor

@Suite struct ByteQueueTests {
    /// What came out of one `take`: nil for a hole.
    private func takeAll(_ queue: ByteQueue) -> [[UInt8]?] {
        var taken: [[UInt8]?] = []
        while queue.take({ bytes, _ in taken.append(bytes.isEmpty ? nil : Array(bytes)) }) {}
        return taken
    }

    private func push(_ bytes: [UInt8], at ns: UInt64 = 0, to queue: ByteQueue) {
        bytes.withUnsafeBytes { queue.push($0, Arrival(monotonicNs: ns, unixMs: 0)) }
    }

    private func isReadable(_ queue: ByteQueue) -> Bool {
        var set = pollfd(fd: queue.readiness, events: Int16(POLLIN), revents: 0)
        return poll(&set, 1, 0) == 1
    }

    @Test func orderAndStampsSurviveAnyWrap() throws {
        let queue = try ByteQueue(capacity: 128)
        var sent: [UInt8] = []
        var got: [UInt8] = []
        var next: UInt8 = 0
        for length in (1...60).map({ $0 % 41 + 1 }) {
            let chunk = (0..<length).map { _ in
                next &+= 1
                return next
            }
            push(chunk, at: UInt64(length), to: queue)
            sent += chunk
            // Always some left, so that the ring is never empty and has to wrap.
            while sent.count - got.count > 41 { _ = queue.take { bytes, _ in got += bytes } }
        }
        while queue.take({ bytes, _ in got += bytes }) {}
        #expect(queue.lost == 0)
        #expect(got.elementsEqual(sent))
    }

    @Test func whatDoesNotFitLeavesOneHoleInItsPlace() throws {
        let queue = try ByteQueue(capacity: 128)
        push(Array(repeating: 1, count: 100), to: queue)
        push(Array(repeating: 2, count: 29), to: queue)
        push(Array(repeating: 3, count: 50), to: queue)
        #expect(queue.lost == 79)
        var first = 0
        _ = queue.take { bytes, _ in first = bytes.count }
        #expect(first == 100)
        push([4], to: queue)
        #expect(takeAll(queue) == [nil, [4]])
        #expect(queue.lost == 79)
    }

    @Test func holeAtTheEndIsToldWithoutAnotherChunk() throws {
        let queue = try ByteQueue(capacity: 128)
        push([1], to: queue)
        queue.lose(0, Arrival(monotonicNs: 5, unixMs: 0))
        #expect(takeAll(queue) == [[1], nil])
        #expect(takeAll(queue).isEmpty)
        #expect(!isReadable(queue))
    }

    @Test func manyTinyChunksAreBoundedToo() throws {
        let queue = try ByteQueue(capacity: 1024)
        for _ in 0..<1000 { push([7], to: queue) }
        let taken = takeAll(queue)
        #expect(taken.last == .some(nil))
        #expect(UInt64(taken.count - 1) + queue.lost == 1000)
    }

    @Test func readableExactlyWhileThereIsWork() throws {
        let queue = try ByteQueue(capacity: 128)
        #expect(!isReadable(queue))
        push([1], to: queue)
        push([2], to: queue)
        #expect(isReadable(queue))
        _ = queue.take { _, _ in }
        #expect(isReadable(queue))
        _ = queue.take { _, _ in }
        #expect(!isReadable(queue))
        queue.callOwner()
        #expect(isReadable(queue))
        push([], to: queue)
        #expect(takeAll(queue).isEmpty)
        queue.ownerCame()
        #expect(!isReadable(queue))
    }

    @Test func oneThreadPushesAndAnotherTakes() throws {
        let queue = try ByteQueue(capacity: 4096)
        let count = 200_000
        let pusher = Thread {
            for number in 0..<count { withUnsafeBytes(of: UInt32(number)) { queue.push($0, Arrival(monotonicNs: 0, unixMs: 0)) } }
            queue.callOwner()
        }
        pusher.start()
        var next: UInt32 = 0
        var taken = 0
        var holeBefore = false
        while taken + Int(queue.lost) / 4 < count {
            var set = pollfd(fd: queue.readiness, events: Int16(POLLIN), revents: 0)
            try #require(poll(&set, 1, 10_000) == 1)
            while queue.take({ bytes, _ in
                guard bytes.count == 4 else {
                    holeBefore = true
                    return
                }
                let number = bytes.loadUnaligned(as: UInt32.self)
                // In order, and nothing is missing without a hole in its place.
                if number != next && !(holeBefore && number > next) { Issue.record("\(number) after \(next)") }
                (next, taken, holeBefore) = (number + 1, taken + 1, false)
            }) {}
        }
        #expect(taken + Int(queue.lost) / 4 == count)
    }
}
