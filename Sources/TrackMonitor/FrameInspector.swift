import NLOSCore

/// Judges the header of every frame, from the header's bytes alone and before wslay sees them.
///
/// wslay 1.1.1 tells of a frame only with the first byte of its payload: a header that promises too much would be judged late. It unmasks
/// what a server must not mask, and its framing layer leaves reserved bits, unknown opcodes and the order of fragments to its user.
struct FrameInspector {
    /// Of the fragments of one message together (wire contract A).
    static let longestMessage = UInt64(TrackEnvelope.longestMessage)
    /// Of one message.
    static let mostEmptyFragments = 16

    private enum Stage {
        case first, second
        case length(left: Int, value: UInt64, floor: UInt64)
        case payload(left: UInt64)
    }

    private var stage = Stage.first
    private var opcode: UInt8 = 0
    private var isFinal = true
    private var isInMessage = false
    private var messageLength: UInt64 = 0
    private var emptyFragments = 0

    /// Looks at the next bytes: how many of them wslay may have, and the breach behind them if there is one. After a breach nothing
    /// that follows can be read.
    mutating func inspect(_ bytes: UnsafeRawBufferPointer) -> (admitted: Int, breach: WebSocketBreach?) {
        var index = 0
        while index < bytes.count {
            if case .payload(let left) = stage {
                let count = min(left, UInt64(bytes.count - index))
                index += Int(count)
                stage = count == left ? .first : .payload(left: left - count)
                continue
            }
            do throws(WebSocketBreach) { try take(bytes[index]) } catch { return (index, error) }
            index += 1
        }
        return (index, nil)
    }

    private var isControl: Bool { opcode >= 8 }

    private mutating func take(_ byte: UInt8) throws(WebSocketBreach) {
        switch stage {
        case .first:
            guard byte & 0x70 == 0 else { throw .reservedBits }
            isFinal = byte & 0x80 != 0
            opcode = byte & 0x0f
            switch opcode {
            case 0: guard isInMessage else { throw .order }
            case 1, 2: guard !isInMessage else { throw .order }
            case 8, 9, 10: guard isFinal else { throw .controlFrame }
            default: throw .reservedOpcode(opcode)
            }
            stage = .second
        case .second:
            guard byte & 0x80 == 0 else { throw .masked }
            guard byte < 126 || !isControl else { throw .controlFrame }
            switch byte {
            case 126: stage = .length(left: 2, value: 0, floor: 126)
            case 127: stage = .length(left: 8, value: 0, floor: 65_536)
            default: try begin(payload: UInt64(byte))
            }
        case .length(let left, let value, let floor):
            let value = value << 8 | UInt64(byte)
            guard left == 1 else {
                stage = .length(left: left - 1, value: value, floor: floor)
                return
            }
            guard value >= floor, value >> 63 == 0 else { throw .lengthForm }
            try begin(payload: value)
        case .payload: break
        }
    }

    private mutating func begin(payload length: UInt64) throws(WebSocketBreach) {
        stage = length == 0 ? .first : .payload(left: length)
        guard !isControl else { return }
        // Both are far below overflow: the one by its bound, the other by its top bit.
        messageLength += length
        guard messageLength <= Self.longestMessage else { throw .messageTooLarge }
        if length == 0, !isFinal {
            emptyFragments += 1
            guard emptyFragments <= Self.mostEmptyFragments else { throw .emptyFragments }
        }
        isInMessage = !isFinal
        if isFinal { (messageLength, emptyFragments) = (0, 0) }
    }
}
