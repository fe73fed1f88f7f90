import Foundation
import NLOSCore
import Testing

@Suite struct TransientBoundTests {
    @Test(arguments: [(262_143, true), (262_144, true), (262_145, false)])
    func theLongestMessage(count: Int, accepted: Bool) {
        let message = TransientMessages.live
        let padded = message + String(repeating: " ", count: count - message.utf8.count)
        #expect(verdict(padded) == (accepted ? nil : .messageTooLarge))
        #expect(verdict(String(repeating: "[", count: count)) == (accepted ? .malformed : .messageTooLarge))
    }

    @Test func whatIsTooLargeIsNotLookedAt() {
        let invalid = [UInt8](repeating: 0xff, count: 262_145)
        #expect(throws: Rejection.messageTooLarge) { try TransientFrame.decode(invalid) }
    }

    @Test func nothingIsAMessage() {
        #expect(verdict("") == .malformed)
        #expect(throws: Rejection.malformed) { try TransientFrame.decode(UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    /// Nesting costs no stack: everywhere a value may stand, in a thread that has little.
    @Test(arguments: ["[", #"{"a":"#, #"{"zones":["#, #"{"\u0073chema":"#])
    func deepNestingOnASmallStack(opening: String) async {
        let deep = String(repeating: opening, count: 131_072 / opening.utf8.count)
        let places = [#""lab-run-001""#, "1799999999960", "250", #"{"x":0,"y":0.5,"z":-1.25}"#, "[0,0,0,1]", "345", "true"]
        let messages = [deep] + places.map { TransientMessages.live.replacingFirst($0, with: deep) }
        let verdicts = await onThread(stackSize: 512 * 1024) { messages.map(verdict) }
        #expect(verdicts == Array(repeating: .malformed, count: messages.count))
    }

    private func onThread<Value: Sendable>(stackSize: Int, _ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.stackSize = stackSize
            thread.start()
        }
    }

    @Test func cutAnywhereItIsMalformed() {
        let message = Array(TransientMessages.live.utf8)
        for count in message.indices {
            #expect(throws: Rejection.malformed) { try TransientFrame.decode(Array(message.prefix(count))) }
        }
    }

    /// One byte changed to any other: never a trap, and whatever is accepted reads the same again when it is written.
    @Test func oneByteChanged() throws {
        let message = Array(TransientMessages.live.utf8)
        var random = SplitMix64(seed: 4)
        for place in message.indices {
            for _ in 0..<8 {
                var changed = message
                changed[place] = UInt8.random(in: 0...255, using: &random)
                guard let frame = try? TransientFrame.decode(changed) else { continue }
                var json = JSONWriter()
                frame.encode(into: &json)
                #expect(try TransientFrame.decode(json.bytes) == frame)
            }
        }
    }
}
