/// The kernel's USB/IP messages, as far as a device without isochronous endpoints needs them. Big-endian; a header has 48 bytes.
enum Wire {
    static let headerBytes = 48
}

/// A transfer that the host has asked for.
struct Submission: Equatable {
    let number: UInt32
    let endpoint: UInt8
    let isIn: Bool
    /// Bytes that the host offers to take or wants to send.
    let length: Int
    let setup: [UInt8]
    /// What it sends.
    var data: [UInt8] = []

    /// With the direction bit, as descriptors write it.
    var address: UInt8 { endpoint | (isIn && endpoint != 0 ? 0x80 : 0) }
}

enum Request: Equatable {
    case submit(Submission)
    /// The host wants this transfer back.
    case unlink(number: UInt32, victim: UInt32)

    /// From a header; nil for what is none.
    init?(header: [UInt8]) {
        func word(_ at: Int) -> UInt32 { header[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        guard header.count == Wire.headerBytes else { return nil }
        switch word(0) {
        case 1:
            let isIn = word(12) == 1
            self = .submit(
                Submission(
                    number: word(4), endpoint: UInt8(truncatingIfNeeded: word(16)), isIn: isIn,
                    length: Int(Int32(bitPattern: word(24))), setup: Array(header[40..<48])))
        case 2: self = .unlink(number: word(4), victim: word(20))
        default: return nil
        }
    }
}

enum Reply {
    /// A transfer came to its end; `status` is 0 or a negative errno, `count` what was moved.
    static func submitted(_ number: UInt32, status: Int32, count: Int, data: [UInt8] = []) -> [UInt8] {
        words([3, number, 0, 0, 0, UInt32(bitPattern: status), UInt32(count), 0, 0, 0, 0, 0]) + data
    }

    static func unlinked(_ number: UInt32, status: Int32) -> [UInt8] {
        words([4, number, 0, 0, 0, UInt32(bitPattern: status), 0, 0, 0, 0, 0, 0])
    }

    private static func words(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }
}
