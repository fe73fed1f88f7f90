/// The sensor behind an emulated DEPZ board: it measures at its own pace, whatever the board passes on.
struct DepzSensor: Sendable {
    static let temperatureC = 38
    /// 8x8 zones, and for a VL53L8CH one aggregate a zone: as many bins as its memory holds.
    static let setting = BoardConfiguration.firmwareDefault
    /// Number of the first frame, as recorded.
    private static let firstNumber: UInt16 = 22

    private(set) var number: UInt16 = firstNumber
    private(set) var numbers = FrameNumbers()
    private var model: HistogramModel
    private var writer: DepzResultWriter
    private let recordedStatus: [[UInt8]?]
    private var recordedIndex = 0
    private let hasHistograms: Bool
    private let faults: FirmwareFaults
    private var lineNoise: SeededGenerator
    private var measured: UInt64 = 0
    private let followsRecording: Bool
    private var paceIndex = 0

    /// The recorded board's frames: by how many the sensor's number went on, and after how many of the sensor's periods.
    ///
    /// Source: derived from `contracts/vectors/recordings/vl53l8_8x8_15hz_3s.depzrec` of `depz-ai/depz-sensor-sdk` (a5c6ede), which stands
    /// under the MIT licence, copyright (c) 2026 DEPZ.
    private static let pace: [(step: UInt16, periods: UInt64)] = [
        (1, 1), (2, 1), (3, 1), (3, 3), (0, 3), (3, 1), (3, 4), (3, 1), (0, 3), (3, 1), (3, 2), (4, 3), (1, 5), (2, 1), (2, 1), (3, 2),
        (0, 3), (3, 1), (2, 2), (3, 2), (0, 3), (4, 1), (3, 3), (2, 3), (1, 2), (2, 2), (4, 1), (8, 4), (0, 8), (3, 1), (2, 3), (4, 1),
        (0, 4), (3, 1), (3, 2), (3, 3), (1, 4), (1, 1), (4, 1), (3, 3), (0, 3), (4, 1), (2, 4), (4, 1), (0, 4),
    ]

    init(_ plan: EmulatorPlan, hasHistograms: Bool, followsRecording: Bool) {
        self.hasHistograms = hasHistograms
        self.followsRecording = followsRecording
        faults = plan.options.faults
        lineNoise = SeededGenerator(seed: ~plan.seed)
        model = HistogramModel(scene: plan.scene, seed: plan.seed)
        writer = DepzResultWriter(isVL53L8CH: hasHistograms)
        recordedStatus = if case .recorded(let frames) = plan.scene.content { frames.map(\.targetStatus) } else { [] }
        measure(atSeconds: 0)
    }

    /// Of a whole frame now.
    var frameBytes: Int {
        Self.frameBytes(zones: numbers.distanceMm.count, bins: hasHistograms ? numbers.bins : 0, isVL53L8CH: hasHistograms)
    }

    static func frameBytes(zones: Int, bins: Int, isVL53L8CH: Bool) -> Int {
        let values = zones * bins
        let histogram = bins == 0 ? 0 : 4 * (1 + 7 + values + (values + 3) / 4 + zones + (zones + 3) / 4)
        // Header, metadata, common data, nine blocks of 19 bytes a zone, motion, footer.
        return 16 + 16 + 8 + 8 * 4 + 19 * zones + 144 + histogram + (isVL53L8CH ? 12 : 20)
    }

    /// Goes on to the next frame that the board takes, and says after how many periods.
    mutating func next(atSeconds time: (_ periods: UInt64) -> Double) -> UInt64 {
        let (step, periods) = followsRecording ? Self.pace[paceIndex % Self.pace.count] : (1, 1)
        paceIndex += 1
        number &+= step
        if step > 0 { measure(atSeconds: time(periods)) }
        return periods
    }

    /// A frame that the board never takes.
    mutating func lose() { number &+= 1 }

    private mutating func measure(atSeconds time: Double) {
        measured += 1
        if let every = faults.frozenEvery, measured > 1, measured % every == 0 { return }
        model.measure(Self.setting, atSeconds: time, into: &numbers)
        if !recordedStatus.isEmpty { recordedIndex = (recordedIndex + 1) % recordedStatus.count }
        numbers.spoil(faults, measured: measured, &lineNoise)
    }

    /// `magic`: in the data, where it means nothing.
    mutating func frame(isTorn: Bool, magic: Bool) -> [UInt8] {
        let status = recordedStatus.isEmpty ? nil : recordedStatus[(recordedIndex + recordedStatus.count - 1) % recordedStatus.count]
        var bytes = writer.bytes(
            numbers, number: number, temperatureC: Self.temperatureC, status: status, footerNumber: isTorn ? number &+ 1 : nil)
        // The second word of the frame, and the first of the motion block, are nobody's.
        if magic { bytes.replaceSubrange(4..<6, with: DepzHeader.magic) }
        return bytes
    }

    /// What the sensor says of its histograms: the 156 bytes of ST's structure.
    static var histogramSetting: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: DepzHistogramSetting.bytes)
        let zones = setting.aggregates
        withUnsafeBytes(of: UInt32(setting.startBin * 2048).littleEndian) { bytes.replaceSubrange(0..<4, with: $0) }
        bytes.replaceSubrange(
            16..<28, with: [0, 0, UInt8(setting.subsample), UInt8(setting.bins), UInt8(zones), 1, 0, 0, 0, 0x3f, 1, 0])
        for zone in 0..<64 { bytes[28 + zone] = zone < zones ? UInt8(zone) : 0xff }
        return bytes
    }
}
