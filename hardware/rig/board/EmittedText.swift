import Glibc

/// The frames of a JSON Lines file in the form in which a board sends them, read apart from the program's own reader.
struct EmittedText {
    /// Of each line, of each zone in order: its number, ambient, distance in millimetres, bins.
    private(set) var frames: [[[Int64]]] = []

    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var text = Text(bytes: line + [0])
            var rows: [[Int64]] = []
            while text.skip(past: "\"zoneId\":"), let zone = text.number(), text.skip(past: "\"distanceM\":"),
                let metres = text.number(), text.skip(past: "\"ambient\":"), let ambient = text.number(),
                text.skip(past: "\"histogram\":[")
            {
                var row = [Int64(zone), Int64(ambient), Int64((metres * 1000).rounded())]
                while let bin = text.number() { row.append(Int64(bin)) }
                rows.append(row)
            }
            frames.append(rows)
        }
    }

    /// A place in a line.
    private struct Text {
        let bytes: [UInt8]
        var place = 0

        mutating func skip(past key: StaticString) -> Bool {
            let found = bytes.withUnsafeBytes { all -> Int? in
                // The array ends with a zero, as strstr needs it.
                strstr(
                    all.baseAddress!.assumingMemoryBound(to: CChar.self) + place,
                    UnsafeRawPointer(key.utf8Start).assumingMemoryBound(to: CChar.self)
                )
                .map { UnsafeRawPointer($0) - all.baseAddress! }
            }
            guard let found else { return false }
            place = found + key.utf8CodeUnitCount
            return true
        }

        /// The number that stands here, and the comma behind it; nil, and nothing is passed, where none does.
        mutating func number() -> Double? {
            let digits = bytes[place...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "]") && $0 != UInt8(ascii: "}") }
            guard let number = Double(String(decoding: digits, as: UTF8.self)) else { return nil }
            place += digits.count
            if place < bytes.count, bytes[place] == UInt8(ascii: ",") { place += 1 }
            return number
        }
    }
}
