/// What an emulated mini_tof board measures, and the records in which it sends that.
struct MiniTofRecords: Sendable {
    private let options: EmulationOptions
    private let isRecorded: Bool
    private var configuration = BoardConfiguration.firmwareDefault
    private var model: HistogramModel
    private(set) var numbers = FrameNumbers()
    /// Readings since the start, with the one that `numbers` holds.
    private(set) var readings: UInt64 = 0

    /// The window moves after so many readings, over so many places.
    static let readingsPerWindow: UInt64 = 3
    static let windows: UInt64 = 3
    static let mark: [UInt8] = [0xff, 0xff, 0xff, 0xff]

    init(_ plan: EmulatorPlan) {
        options = plan.options
        if case .recorded = plan.scene.content { isRecorded = true } else { isRecorded = false }
        model = HistogramModel(scene: plan.scene, seed: plan.seed)
        configuration.bins = faults.metadata == .cycle ? 16 : faults.bins
        configuration.subsample = configuration.bins == 16 ? 1 : 8
    }

    private var faults: MiniTofFaults { options.faults.miniTof }

    /// 30 Hz are asked; the sensor does 15 in this grid.
    var periodNs: UInt64 { 1_000_000_000 / UInt64(configuration.highestHz) }
    var busNs: UInt64 { configuration.busNs }

    mutating func restart() { readings = 0 }

    /// Where the window of the newest reading is: readings since it was moved, first bin.
    var window: (sinceMove: Int, start: Int) {
        let reading = readings - min(readings, 1)
        guard faults.metadata == .cycle else { return (Int(min(reading, 2)), 0) }
        let place = reading / Self.readingsPerWindow % Self.windows
        return (Int(reading % Self.readingsPerWindow), Int(place) * configuration.bins)
    }

    mutating func measure(atSeconds time: Double) {
        readings += 1
        configuration.startBin = window.start
        if let every = options.faults.frozenEvery, readings > 1, readings % every == 0 { return }
        model.measure(configuration, atSeconds: time, into: &numbers)
        spoil()
    }

    private mutating func spoil() {
        if let after = options.faults.brighterAfterFrames, readings > after {
            for index in numbers.ambient.indices { numbers.ambient[index] *= 16 }
        }
        if options.faults.measuresNoDistance {
            for index in numbers.distanceMm.indices { numbers.distanceMm[index] = 0 }
        }
        if options.faults.histogramStep > 1 {
            for index in numbers.histogram.indices { numbers.histogram[index] -= numbers.histogram[index] % options.faults.histogramStep }
        }
        if let every = options.faults.overflowEvery, readings % every == 0, !numbers.histogram.isEmpty {
            // Twice what does not fit: what is sent is half of it.
            numbers.histogram[numbers.histogram.count / 2] = 140_000
        }
    }

    func print(to bytes: inout [UInt8]) {
        for zone in numbers.ambient.indices {
            append(Float(zone), to: &bytes)
            if !faults.withoutAmbient { append(sent(numbers.ambient[zone]), to: &bytes) }
            for bin in zone * numbers.bins..<(zone + 1) * numbers.bins { append(sent(numbers.histogram[bin]), to: &bytes) }
            bytes += Self.mark
            if zone == 5, let every = faults.straddlingMarkEvery, readings % every == 0 { straddle(&bytes) }
        }
        guard faults.metadata != .none, !numbers.distanceMm.isEmpty else { return }
        for distance in numbers.distanceMm { append(Float(distance), to: &bytes) }
        if faults.metadata != .distances {
            for distance in numbers.distanceMm { append(Float(2 + distance / 512), to: &bytes) }
            append(Float(window.sinceMove), to: &bytes)
            append(Float(window.start), to: &bytes)
        }
        bytes += Self.mark
    }

    /// The last two values of the record that has just been ended: bytes `00 FF FF FF` and `FF 00 00 3F`.
    private func straddle(_ bytes: inout [UInt8]) {
        bytes.replaceSubrange(bytes.count - 12..<bytes.count - 4, with: [0x00, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x3f])
    }

    /// A printed value of the cc-hardware firmware as this one sends it. The divisor is `2 << scaler`, twice what it should be, and for the
    /// scaler of values below 2, which is 30, it is negative.
    private func sent(_ printed: Int64) -> Float {
        if isRecorded { return Self.float(printed) }
        let value = Float(printed) / 1_000
        if faults.trueValues { return value }
        return value.magnitude < 2 ? -value / 2 : value / 2
    }

    /// The float nearest to so many thousandths that is cut to them again.
    static func float(_ thousandths: Int64) -> Float {
        let near = Float(thousandths) / 1_000
        guard Int64(near * 1_000) != thousandths else { return near }
        return near.sign == .minus ? near.nextDown : near.nextUp
    }

    private func append(_ value: Float, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
