/// The rows of the frame that is being received, in storage that is made once.
struct FrameTable: Sendable {
    /// What the wire contract has room for; rows and bins past these make no frame anyway.
    static let mostZones = 64
    static let mostBins = 128

    /// Rows that a frame has, or may have while that is being learned.
    private(set) var zones: Int
    /// Bins of every row; 0 until the first row of a frame tells while the shape is being learned.
    private(set) var bins: Int
    /// Rows that are there.
    private(set) var rows = 0
    private let fixed: Bool
    private var ambient: [Int64]
    private var distance: [Int64]
    private var histogram: [Int64]
    /// One row, read byte by byte.
    private var scratch: [Int64]

    enum Reading {
        case row(bins: Int, id: Int64)
        case fault(FrameFault)
    }

    init(shape: FrameShape?) {
        fixed = shape != nil
        zones = shape?.zones ?? Self.mostZones
        bins = shape?.bins ?? 0
        let width = shape?.bins ?? Self.mostBins
        ambient = Array(repeating: 0, count: zones)
        distance = Array(repeating: 0, count: zones)
        histogram = Array(repeating: 0, count: zones * width)
        scratch = Array(repeating: 0, count: width + VL53L8CHRow.head)
    }

    var shape: FrameShape { FrameShape(zones: rows, bins: bins) }

    mutating func clear() {
        rows = 0
        if !fixed { bins = 0 }
    }

    /// Takes the right rows at the start of the bytes and returns where the first other one starts.
    mutating func take(from start: UnsafeRawPointer, to end: UnsafeRawPointer) -> UnsafeRawPointer {
        let (first, zones, bins) = (rows, zones, bins)
        let (next, row) = ambient.withUnsafeMutableBufferPointer { ambient in
            distance.withUnsafeMutableBufferPointer { distance in
                histogram.withUnsafeMutableBufferPointer { histogram in
                    // A shape has at least one row and one bin, so no table is empty.
                    VL53L8CHRow.fast(
                        from: start, to: end, first: first, zones: zones, bins: bins, ambient: ambient.baseAddress!,
                        distance: distance.baseAddress!, histogram: histogram.baseAddress!)
                }
            }
        }
        rows = row
        return next
    }

    /// Reads one line into the scratch row: its number of bins and its own number, or what is wrong with it.
    mutating func read(_ line: UnsafeRawBufferPointer) -> Reading {
        switch scratch.withUnsafeMutableBufferPointer({ VL53L8CHRow.read(line, into: $0) }) {
        case .fault(let fault): .fault(fault)
        // Fewer than one bin: no row of any shape.
        case .values(let count) where count <= VL53L8CHRow.head: .fault(.rowShape)
        case .values(let count): .row(bins: count - VL53L8CHRow.head, id: scratch[0])
        }
    }

    /// Makes the scratch row the next row. `bins` are its own, which a frame of unknown width takes over with its first row.
    mutating func append(bins: Int) {
        if rows == 0 { self.bins = bins }
        ambient[rows] = scratch[1]
        distance[rows] = scratch[2]
        for bin in 0..<bins { histogram[rows * bins + bin] = scratch[VL53L8CHRow.head + bin] }
        rows += 1
    }

    func frame(arrival: Arrival) -> FirmwareFrame {
        FirmwareFrame(
            bins: bins, ambient: Array(ambient.prefix(rows)), distanceMm: Array(distance.prefix(rows)),
            histogram: Array(histogram.prefix(rows * bins)), arrival: arrival)
    }
}
