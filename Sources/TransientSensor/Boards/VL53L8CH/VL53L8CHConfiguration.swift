public import NLOSCore

/// What the cc-hardware VL53L8CH firmware can be asked for, one aggregate a zone.
///
/// A value of this type may be impossible; `validate` says so before a byte is sent, for the firmware checks little and answers nothing.
/// Source of the packet: the firmware's `common.h` and `app.c`.
public struct VL53L8CHConfiguration: Hashable, Sendable {
    public enum Grid: Int, CaseIterable, Sendable {
        case zones4x4 = 16
        case zones8x8 = 64

        public var zones: Int { rawValue }
        public var side: Int { self == .zones4x4 ? 4 : 8 }
        public var zoneGrid: ZoneGrid { ZoneGrid(width: side, height: side) }
        /// Frames a second that the sensor itself can range at (ST UM3109, ST DS14161).
        public var ratesHz: ClosedRange<Int> { self == .zones4x4 ? 1...60 : 1...15 }
    }

    public enum Mode: UInt16, Sendable {
        /// The sensor integrates as long as the period lets it; `integrationMs` is not used.
        case continuous = 1
        /// The sensor integrates for `integrationMs` and then rests.
        case autonomous = 3
    }

    public var grid: Grid
    public var mode: Mode
    /// Frames a second asked for: an upper bound, see `realisticHz`.
    public var rateHz: Int
    public var integrationMs: Int
    /// First physical bin, from 0.
    public var startBin: Int
    /// Bins in every row.
    public var bins: Int
    /// Physical bins added up into one bin.
    public var subsample: Int

    public init(
        grid: Grid = .zones4x4, mode: Mode = .continuous, rateHz: Int = 30, integrationMs: Int = 10, startBin: Int = 30, bins: Int = 48,
        subsample: Int = 1
    ) {
        self.grid = grid
        self.mode = mode
        self.rateHz = rateHz
        self.integrationMs = integrationMs
        self.startBin = startBin
        self.bins = bins
        self.subsample = subsample
    }

    /// 4x4, 48 bins from bin 30, 30 Hz: what RuView's transient pipeline is tuned for, and what settings not given fall back to.
    public static let reference = VL53L8CHConfiguration()
    /// What the board runs after a reset. It is known, never sent: its own integration time does not fit its period.
    public static let firmwareDefault = VL53L8CHConfiguration(
        grid: .zones8x8, rateHz: 15, integrationMs: 100, startBin: 0, bins: 18, subsample: 7)

    /// For a validation: 4x4 zones and few bins, so that neither the line nor the chip's bus holds the frames back; at 30 Hz both have room.
    public static let light = VL53L8CHConfiguration(grid: .zones4x4, rateHz: 30, startBin: 0, bins: 8, subsample: 16)

    public var shape: FrameShape { FrameShape(zones: grid.zones, bins: bins) }
    /// Picoseconds.
    public var binWidthPs: Float { SensorProfile.nucleoVL53L8CH.physicalBinPs * Float(subsample) }

    public func timing(_ basis: BinTimingBasis) -> BinTiming {
        BinTiming(binWidthPs: binWidthPs, startBin: UInt16(clamping: startBin), basis: basis)
    }

    /// The 26 bytes that the firmware takes: thirteen 16-bit words, low byte first, without header or check sum.
    public var packet: [UInt8] {
        let side = UInt16(grid.side)
        let aggregation: [UInt16] = [0, 0, 1, 1, side, side]
        let words =
            [UInt16(grid.zones), mode.rawValue] + [rateHz, integrationMs, startBin, bins, subsample].map(UInt16.init(clamping:))
            + aggregation
        return words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }
}

// MARK: What it costs

extension VL53L8CHConfiguration {
    /// Bytes a second that 2,210,526 baud (the board's divider) carry at ten bits a byte.
    public static let lineBytesPerSecond = 221_000.0
    /// Average characters of a printed bin, as measured on a live sensor's histograms.
    public static let binCharacters = 3.6
    /// What is left of the line when the firmware prints byte by byte. An estimate.
    static let printedBytesPerSecond = 110_000.0
    /// The sensor's store for histograms, bytes.
    static let sensorMemory = 6_160

    /// Bytes of the sensor's histogram store that this takes. Source: ST `vl53lmz_plugin_cnh.c`, without ping-pong and variance.
    public var sensorBytes: Int { Self.sensorBytes(zones: grid.zones, bins: bins) }

    static func sensorBytes(zones: Int, bins: Int) -> Int {
        28 + 4 * zones * bins + 4 * ((zones * bins + 3) / 4) + 4 * zones + 4 * ((zones + 3) / 4)
    }

    /// Bytes of an average printed frame: marker, then for each row its number, ambient and distance of four characters, and the bins.
    public var frameBytes: Double {
        let zones = Double(grid.zones)
        let rowNumbers = Double(grid.zones + max(0, grid.zones - 10))
        return 2 + rowNumbers + zones * (4 + 4 + 3) + zones * Double(bins) * (1 + Self.binCharacters)
    }

    /// Frames a second that the bare line can carry.
    public var lineHz: Double { Self.lineBytesPerSecond / frameBytes }

    /// Frames a second to expect: the asked ones, or what the firmware can read and print, one after the other.
    ///
    /// Reading: the histogram block and the standard results (84 bytes and 11 a zone, fitted), nine clocks a byte at 1 MHz.
    /// Printing: `frameBytes` at 110 kB/s, which is an estimate. Only a measured rate is a fact.
    public var realisticHz: Double {
        let readingSeconds = Double(sensorBytes + 84 + 11 * grid.zones) * 9 / 1_000_000
        return min(Double(rateHz), Double(grid.ratesHz.upperBound), 1 / (readingSeconds + frameBytes / Self.printedBytesPerSecond))
    }
}
