/// The numbers of one frame before they are printed, in buffers that the next frame uses again.
struct FrameNumbers: Equatable, Sendable {
    /// Histogram values a row.
    var bins = 0
    var ambient: [Int64] = []
    var distanceMm: [Int64] = []
    /// Row-major.
    var histogram: [Int64] = []

    init() {}

    init(_ frame: FirmwareFrame) {
        bins = frame.bins
        ambient = frame.ambient
        distanceMm = frame.distanceMm
        histogram = frame.histogram
    }

    /// Appends `D` and one line a row: `id ambient distance bin ...`, single spaces, signed decimals, one LF each.
    func print(to text: inout [UInt8]) {
        text.append(UInt8(ascii: "D"))
        text.append(UInt8(ascii: "\n"))
        for row in ambient.indices {
            append(Int64(row), to: &text)
            append(spaced: ambient[row], to: &text)
            append(spaced: distanceMm[row], to: &text)
            for bin in row * bins..<(row + 1) * bins { append(spaced: histogram[bin], to: &text) }
            text.append(UInt8(ascii: "\n"))
        }
    }

    private func append(spaced value: Int64, to text: inout [UInt8]) {
        text.append(UInt8(ascii: " "))
        append(value, to: &text)
    }

    private func append(_ value: Int64, to text: inout [UInt8]) {
        if value < 0 { text.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = text.count
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        text[start...].reverse()
    }
}
