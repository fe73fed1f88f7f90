internal import NLOSCore

/// The lines of words that the TMF882x sketches print. Sources: ams `tmf8828_a` 1.14, cc-hardware `tmf8828`, mini_tof `tmf8820`.
enum TMF882xText: Equatable, Sendable {
    /// The answer to every command.
    case state(TMF882xMode, State)
    case configuration(Configuration)
    /// After the sensor's own firmware was loaded; holds its version as a label, without the serial number that stands beside it.
    case driver(SafeLabel)
    /// What `z` has set: 0 none, 1 raw, 2 electrical calibration, 3 both.
    case histograms(Int)
    /// The mini_tof sketch, before it begins to measure.
    case range(Range, line: String)
    case error(Complaint, line: String)
    /// Help and whatever else a person may read.
    case words

    enum State: String, CaseIterable, Sendable {
        case disabled, standby, stopped, measure, error
        case unknown = "???"
    }

    /// The setting that was loaded.
    struct Configuration: Equatable, Sendable {
        /// Milliseconds.
        let period: Int
        /// Thousands of laser pulses that a histogram is made of.
        let kIterations: Int
        let map: TMF882xSpadMap
        let line: String
    }

    enum Range: Sendable {
        case long, short, unnamed
    }

    enum Complaint: Sendable {
        /// The sensor raised its interrupt and had nothing: it does not measure any more.
        case measurementStopped
        /// A result could not be read; its `#Obj` will not come.
        case resultLost
        case other
    }

    /// What the line (without its line feed) says; nil for damage, and for rows of numbers.
    static func parse(_ line: UnsafeRawBufferPointer) -> TMF882xText? {
        guard line.count <= longest, line.allSatisfy({ $0 == 0x09 || (0x20...0x7e).contains($0) }) else { return nil }
        if line.first == UInt8(ascii: "#") { return numberSign(line) }
        if let (mode, rest) = afterName(line) {
            return State.allCases.first { $0.rawValue.utf8.elementsEqual(rest) }.map { .state(mode, $0) }
        }
        if let rest = rest(of: line, after: "Driver ") { return driver(rest) }
        if let rest = rest(of: line, after: "Histogram is ") { return number(rest).map(histograms) }
        if let rest = rest(of: line, after: "Active range: ") { return .range(range(rest), line: escaped(line)) }
        // Rows and pieces of them have commas and no spaces.
        let isOfWords = !line.contains(UInt8(ascii: ",")) || line.contains(UInt8(ascii: " "))
        return isOfWords && line.contains(where: isLetter) ? .words : nil
    }

    /// No line of words is longer.
    private static let longest = 160

    private static func numberSign(_ line: UnsafeRawBufferPointer) -> TMF882xText? {
        if let rest = rest(of: line, after: "#Conf,") {
            guard let period = number(after: "Period=", in: rest), let kIterations = number(after: "KIter=", in: rest),
                let map = number(after: "SPAD=", in: rest)
            else { return nil }
            return .configuration(
                Configuration(period: period, kIterations: kIterations, map: TMF882xSpadMap(number: map), line: escaped(line)))
        }
        if let rest = rest(of: line, after: "#Err,") {
            // What a sensor says whose firmware has one mode only.
            if rest.starts(with: "mode switch to,".utf8) { return .words }
            let complaint: Complaint =
                rest.starts(with: "inter,".utf8)
                ? .measurementStopped : rest.starts(with: "result too short".utf8) ? .resultLost : .other
            return .error(complaint, line: escaped(line))
        }
        return rest(of: line, after: "#Vers,").map { _ in .words }
    }

    private static func afterName(_ line: UnsafeRawBufferPointer) -> (TMF882xMode, Slice<UnsafeRawBufferPointer>)? {
        if let rest = rest(of: line, after: "TMF8828 state=") { return (.tmf8828, rest) }
        return rest(of: line, after: "TMF882x state=").map { (.tmf882x, $0) }
    }

    /// `1.14 FW a.b.c.d. Chip x.y Serial 0x...`
    private static func driver(_ rest: Slice<UnsafeRawBufferPointer>) -> TMF882xText? {
        let words = rest.split(separator: UInt8(ascii: " "), maxSplits: 4)
        guard words.count >= 3, words[1].elementsEqual("FW".utf8) else { return nil }
        let firmware = words[2].last == UInt8(ascii: ".") ? words[2].dropLast() : words[2]
        return SafeLabel("driver-\(escaped(words[0]))_fw-\(escaped(firmware))").map(TMF882xText.driver)
    }

    /// 6E and 6F are the sensor's own names, in its register of that name; how the sketch prints them is assumed.
    private static func range(_ rest: Slice<UnsafeRawBufferPointer>) -> Range {
        switch String(decoding: rest, as: UTF8.self).lowercased() {
        case "6e", "0x6e", "110", "short": .short
        case "6f", "0x6f", "111", "long": .long
        default: .unnamed
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private static func rest(of line: UnsafeRawBufferPointer, after start: String) -> Slice<UnsafeRawBufferPointer>? {
        line.starts(with: start.utf8) ? line.dropFirst(start.utf8.count) : nil
    }

    private static func number(after name: String, in text: Slice<UnsafeRawBufferPointer>) -> Int? {
        let name = Array(name.utf8)
        guard let start = text.indices.first(where: { text[$0...].starts(with: name) }) else { return nil }
        return number(text[(start + name.count)...].prefix { $0 &- 0x30 < 10 })
    }

    /// One to nine digits.
    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
