/// One whole frame as it was sent, and where its window is if the firmware says so.
struct MiniTofReading: Sendable {
    struct Window: Equatable, Sendable {
        /// Readings since the window was moved, 0 for the first.
        let sinceMove: Int
        /// First physical bin.
        let start: Int
    }

    let frame: FirmwareFrame
    let window: Window?
    /// Bytes that it took on the line.
    let bytes: UInt64
}

/// The records of the frame that is being received, in storage that is made once.
struct MiniTofTable: Sendable {
    /// Numbers in a zone's record; 0 before the first.
    private(set) var values = 0
    /// Zones that are there.
    private(set) var rows = 0
    private(set) var metadata: MiniTofMetadata?
    private var window: MiniTofReading.Window?
    private var ambient = [Int64](repeating: 0, count: 64)
    private var distance = [Int64](repeating: 0, count: 64)
    private var histogram = [Int64](repeating: 0, count: 64 * 128)

    var layout: MiniTofLayout { MiniTofLayout(zones: rows, values: values, metadata: metadata) }

    /// Starts a frame whose zones have so many numbers, 3 ... `MiniTofLayout.mostZoneValues`.
    mutating func clear(values: Int) {
        self.values = values
        rows = 0
        metadata = nil
        window = nil
    }

    /// Takes the next zone's record: `values` good numbers. There is room for 64.
    mutating func append(_ record: UnsafeRawPointer) {
        let hasAmbient = MiniTofLayout.hasAmbient(values: values)
        ambient[rows] = hasAmbient ? MiniTofNumber.thousandths(record, 1) : 0
        let (bins, first) = (MiniTofLayout.bins(values: values), hasAmbient ? 2 : 1)
        let start = rows * bins
        histogram.withUnsafeMutableBufferPointer { histogram in
            for bin in 0..<bins { histogram[start + bin] = MiniTofNumber.thousandths(record, first + bin) }
        }
        rows += 1
    }

    /// Takes the metadata record: good numbers. False when its window is none.
    mutating func take(_ form: MiniTofMetadata, _ record: UnsafeRawPointer) -> Bool {
        if form.hasWindow {
            let count = form.values(zones: rows)
            guard let sinceMove = MiniTofNumber.whole(record, count - 2, in: 0...Int(UInt16.max)),
                let start = MiniTofNumber.whole(record, count - 1, in: 0...127)
            else { return false }
            window = MiniTofReading.Window(sinceMove: sinceMove, start: start)
        }
        metadata = form
        for zone in 0..<rows { distance[zone] = Int64(MiniTofNumber.value(record, zone)) }
        return true
    }

    func reading(arrival: Arrival, bytes: UInt64) -> MiniTofReading {
        let bins = MiniTofLayout.bins(values: values)
        let frame = FirmwareFrame(
            bins: bins, ambient: Array(ambient.prefix(rows)), distanceMm: metadata == nil ? [] : Array(distance.prefix(rows)),
            histogram: Array(histogram.prefix(rows * bins)), arrival: arrival)
        return MiniTofReading(frame: frame, window: window, bytes: bytes)
    }
}
