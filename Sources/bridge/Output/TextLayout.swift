/// Text in fixed-width cells. Everything laid out here is ASCII: texts from devices are escaped before they get here.
func padded(_ text: String, to width: Int) -> String {
    text.utf8.count >= width ? text : text + String(repeating: " ", count: width - text.utf8.count)
}

/// The text in lines of at most `width` cells, broken at spaces; a longer word stands alone.
func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > width {
            lines.append(line)
            line = ""
        }
        line += line.isEmpty ? "\(word)" : " \(word)"
    }
    lines.append(line)
    return lines
}

/// A name and what it means, the meaning in a column of its own from cell `start` on; below the name where that is too long.
func columns(_ name: String, _ meaning: String, at start: Int, width: Int) -> [String] {
    let indent = String(repeating: " ", count: start)
    let rows = wrapped(meaning, width: width - start)
    guard name.utf8.count < start else { return [name] + rows.map { indent + $0 } }
    return [padded(name, to: start) + rows[0]] + rows.dropFirst().map { indent + $0 }
}

/// A number with `places` digits after the point; "-" for what no number can say.
func decimal(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "-" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % Int64(scale))
    return "\(sign)\(scaled / Int64(scale)).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
}
