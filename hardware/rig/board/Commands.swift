import Glibc

/// What the rig tells a board to do wrong, one word and its numbers a line.
extension VirtualBoard {
    /// False for a line that means nothing.
    mutating func obey(_ line: Substring) -> Bool {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        let count = numbers.first ?? 1
        switch words.first {
        case "stall": input.halt()
        case "stall-again":
            input.haltsAgain = count
            input.halt()
        case "empty": input.emptyPackets += count
        case "packets": input.packetSizes = numbers
        case "overlong": input.failures += Array(repeating: -EOVERFLOW, count: count)
        case "bad-crc": input.failures += Array(repeating: -EPROTO, count: count)
        case "hold-output": holdsOutput = true
        case "refuse": refused = Set(numbers.map { UInt8(truncatingIfNeeded: $0) })
        default: return false
        }
        return true
    }
}
