/// The firmware's side of the 26-byte configuration packet: thirteen little-endian 16-bit words, nothing else.
///
/// Written from the firmware's checks and not shared with the code that composes packets, so that each tests the other.
/// Source: cc-hardware `Core/Inc/common.h`, `Core/Src/app.c`, and the ULD's CNH plugin.
struct BoardConfiguration: Equatable, Sendable {
    static let packetBytes = 26

    /// Zones of the sensor's own grid as sent; 16 and 64 exist.
    var resolution: Int
    /// 1 continuous, 3 autonomous.
    var mode: Int
    /// Cut to 8 bits and not checked.
    var frequencyHz: Int
    var integrationMs: Int
    var startBin: Int
    /// Cut to 8 bits.
    var bins: Int
    /// Physical bins in an output bin; cut to 8 bits.
    var subsample: Int
    var aggregateStart: (x: Int, y: Int)
    var merge: (x: Int, y: Int)
    var columns: Int
    var rows: Int

    /// What the board applies at reset and after every failure.
    static let firmwareDefault = BoardConfiguration(words: [64, 1, 15, 100, 0, 18, 7, 0, 0, 1, 1, 8, 8])

    /// From a packet of `packetBytes`; any bytes give a configuration, the checks come later.
    init(packet: [UInt8]) {
        self.init(words: (0..<13).map { Int(packet[2 * $0]) | Int(packet[2 * $0 + 1]) << 8 })
    }

    private init(words: [Int]) {
        resolution = words[0]
        mode = words[1]
        frequencyHz = words[2] & 0xff
        integrationMs = words[3]
        startBin = words[4]
        bins = words[5] & 0xff
        subsample = words[6] & 0xff
        aggregateStart = (words[7], words[8])
        merge = (words[9], words[10])
        columns = words[11]
        rows = words[12]
    }

    /// Rows of a frame.
    var aggregates: Int { columns * rows }
    /// Zones along one side of the sensor's grid.
    var side: Int { resolution == 64 ? 8 : 4 }

    /// Bytes of the sensor's CNH block without ping-pong and variance. Source: `vl53lmz_plugin_cnh.c`.
    var histogramBytes: Int {
        let values = aggregates * bins
        return 28 + 4 * values + 4 * ((values + 3) / 4) + 4 * aggregates + 4 * ((aggregates + 3) / 4)
    }

    /// The error line of the first check that fails. Their line numbers differ between builds; nothing may depend on them.
    var refusal: String? {
        let side = resolution == 64 ? 8 : 4
        if resolution != 16 && resolution != 64 { return Self.error(line: 201, "vl53lmz_set_resolution failed") }
        if mode != 1 && mode != 3 { return Self.error(line: 207, "vl53lmz_set_ranging_mode failed") }
        if !(2...1000).contains(integrationMs) { return Self.error(line: 219, "vl53lmz_set_integration_time_ms failed") }
        if aggregateStart.x + columns * merge.x > side || aggregateStart.y + rows * merge.y > side {
            return Self.error(line: 232, "vl53lmz_cnh_create_agg_map failed")
        }
        // The one line without the word "failed".
        if aggregates == 0 || histogramBytes > 6160 { return Self.error(line: 240, "vl53lmz_cnh_calc_required_memory") }
        return nil
    }

    /// 127 is the ULD's "invalid parameter".
    static func error(line: Int, _ call: String, status: UInt8 = 127) -> String {
        "ERROR at process_config(\(line)) : \(call) : \(status)\n"
    }

    /// Time the sensor's result block takes on the 1 MHz bus, nine bits a byte: the CNH block and the standard blocks (84 bytes and 11 a
    /// zone, fitted, as in `VL53L8CHConfiguration.realisticHz`).
    var busNs: UInt64 { UInt64(histogramBytes + 84 + 11 * resolution) * 9_000 }

    /// Frames a second that the sensor can do in this grid. Source: ST UM3109.
    var highestHz: Int { resolution == 64 ? 15 : 60 }

    static func == (a: Self, b: Self) -> Bool {
        a.resolution == b.resolution && a.mode == b.mode && a.frequencyHz == b.frequencyHz && a.integrationMs == b.integrationMs
            && a.startBin == b.startBin && a.bins == b.bins && a.subsample == b.subsample && a.aggregateStart == b.aggregateStart
            && a.merge == b.merge && a.columns == b.columns && a.rows == b.rows
    }
}
