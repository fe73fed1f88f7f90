/// The diagnostic as a person reads it: the same characters as in the file, a member a line.
enum DiagnosticPreview {
    /// `json` is what the encoder wrote: no white space outside of strings.
    static func lines(_ json: [UInt8]) -> [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        var depth = 0
        var (isInText, isEscaped) = (false, false)

        func endLine() {
            if !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
            line = Array(repeating: UInt8(ascii: " "), count: 2 * depth)
        }
        for (index, byte) in json.enumerated() {
            if isInText {
                line.append(byte)
                isInText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                line.append(byte)
                depth += 1
                // Nothing in it stays in one piece.
                let next = index + 1 < json.count ? json[index + 1] : 0
                if next != UInt8(ascii: "}"), next != UInt8(ascii: "]") { endLine() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                let before = index > 0 ? json[index - 1] : 0
                if before != UInt8(ascii: "{"), before != UInt8(ascii: "[") { endLine() }
                line.append(byte)
            case UInt8(ascii: ","):
                line.append(byte)
                endLine()
            case UInt8(ascii: ":"): line += ": ".utf8
            default:
                line.append(byte)
                if byte == UInt8(ascii: "\"") { isInText = true }
            }
        }
        depth = 0
        endLine()
        return lines
    }
}
