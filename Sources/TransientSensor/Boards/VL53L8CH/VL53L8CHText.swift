internal import NLOSCore

/// The lines of words that the cc-hardware VL53L8CH firmware prints. Source: its `app.c` and `main.c`.
enum VL53L8CHText {
    /// What the line (without its line feed) says; nil for a line that this firmware has no words for.
    static func parse(_ line: UnsafeRawBufferPointer) -> FirmwareLine? {
        guard let first = line.first, initials.contains(first) else { return nil }
        if let known = fixed.first(where: { $0.text.utf8.elementsEqual(line) }) { return known.line }
        if let version = rest(of: line, after: "VL53LMZ ULD ready! (Version: "), version.last == UInt8(ascii: ")"), version.count > 1 {
            return .ready(version: escaped(version.dropLast()))
        }
        if let number = rest(of: line, after: "Resolution: ") { return zones(number).map(FirmwareLine.resolution) }
        if rest(of: line, after: "ERROR") != nil || rest(of: line, after: "Error:") != nil {
            return .error(escaped(line), fatal: false)
        }
        return nil
    }

    /// Every line above starts with one of these: most lines of damage are told apart by their first byte.
    private static let initials = Array("VARSE".utf8)

    private static let fixed: [(text: String, line: FirmwareLine)] = [
        ("VL53LMZ CC Hardware Driver", .banner("VL53LMZ CC Hardware Driver")),
        ("Applying sensor configuration...", .applying),
        ("Sensor configuration applied and ranging started.", .applied),
        // No frame follows these two by itself: the board pauses, starts over and prints the same again, or, where the chip answers with
        // another id than it should, prints nothing more. Every other error is followed by its default configuration.
        ("VL53LMZ not detected at requested address", .error("VL53LMZ not detected at requested address", fatal: true)),
        ("VL53LMZ ULD Loading failed", .error("VL53LMZ ULD Loading failed", fatal: true)),
    ]

    private static func rest(of line: UnsafeRawBufferPointer, after start: String) -> Slice<UnsafeRawBufferPointer>? {
        line.starts(with: start.utf8) ? line.dropFirst(start.utf8.count) : nil
    }

    private static func zones(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}

extension FirmwareLine {
    /// Whether the board has started anew: what it printed before is over.
    var isRestart: Bool {
        switch self {
        case .banner, .ready: true
        case .applying, .resolution, .applied, .error, .remark: false
        }
    }
}
