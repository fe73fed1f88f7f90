import Glibc
import NLOSCore

/// Turns a scene into the numbers that the board would print.
///
/// The noise has the statistics of a real VL53L8CH block (16 aggregates of 20 bins, DEPZ contract vectors, `vl53l8_cnh.json`),
/// taken over the bins that hold neither cover glass nor target: a pedestal a row of 345 on average with deviation 427, and 663 from
/// bin to bin, which makes a third of those bins negative. Noise is taken to be the same for every subsample and merge: nothing
/// public says how it scales.
struct HistogramModel: Sendable {
    static let physicalBins = 128.0
    /// One physical bin of 250 ps, there and back.
    static let metresPerBin = 0.037_534_8
    static let pedestalMean = 345.0
    static let pedestalDeviation = 427.0
    static let binDeviation = 663.0
    /// The pulse is about ten physical bins wide from foot to foot (ST's CNH plugin); the real block's rising edges say the same.
    static let pulseSigma = 10.0 / 6
    /// The cover glass: a reflection at bin 4 that has sunk to 4,900 at bin 10.5 and 1,200 at bin 12.5, as in the real block.
    static let glassBin = 4.0
    static let glassSigma = 3.27
    static let glassPeak = 35_000.0
    /// Returns below this give no distance.
    static let detectionPeak = 450.0

    private let scene: SimulatedScene
    private var random: SeededGenerator
    /// What differs from row to row of one board, 64 of them.
    private let pedestals: [Double]
    /// What differs from zone to zone, 64 of each.
    private let glass: [Double]
    private let patches: [Double]
    private var recordedIndex = 0

    init(scene: SimulatedScene, seed: UInt64) {
        self.scene = scene
        var board = SeededGenerator(seed: seed)
        pedestals = (0..<64).map { _ in Self.pedestalMean + Self.pedestalDeviation * board.noise() }
        glass = (0..<64).map { _ in 0.3 + 1.2 * board.unit() }
        patches = (0..<64).map { _ in board.unit() }
        random = board
    }

    /// Fills `numbers` with the frame that begins at this time of the scene.
    mutating func measure(_ configuration: BoardConfiguration, atSeconds time: Double, into numbers: inout FrameNumbers) {
        switch scene.content {
        case .recorded(let frames):
            numbers = FrameNumbers(frames[recordedIndex])
            recordedIndex = (recordedIndex + 1) % frames.count
        case .wall(let wall):
            measure(wall, configuration, atSeconds: time, into: &numbers)
        }
    }

    private mutating func measure(
        _ wall: Wall, _ configuration: BoardConfiguration, atSeconds time: Double, into numbers: inout FrameNumbers
    ) {
        let view = SensorProfile.nucleoVL53L8CH.fieldOfView
        let lights = (0..<configuration.resolution).map { zone in
            wall.light(
                tanX: configuration.tangent(ofIndex: zone % configuration.side, across: view.x),
                tanY: configuration.tangent(ofIndex: zone / configuration.side, across: view.y),
                patch: patches[zone], atSeconds: time)
        }
        numbers.bins = configuration.bins
        numbers.ambient.removeAll(keepingCapacity: true)
        numbers.distanceMm.removeAll(keepingCapacity: true)
        numbers.histogram.removeAll(keepingCapacity: true)
        for aggregate in 0..<configuration.aggregates {
            let zones = configuration.zones(ofAggregate: aggregate)
            let ambient = zones.isEmpty ? 0 : wall.ambient * (1 + 0.06 * random.noise())
            numbers.ambient.append(Int64(ambient))
            // The firmware takes the distance from the result list by the row's number, whatever the row aggregates.
            numbers.distanceMm.append(aggregate < lights.count ? distanceMm(lights[aggregate]) : 0)
            for bin in 0..<configuration.bins {
                let start = configuration.startBin + bin * configuration.subsample
                let span = Double(start)...Double(start + configuration.subsample)
                numbers.histogram.append(zones.isEmpty ? 0 : value(over: span, of: zones, lights, pedestal: pedestals[aggregate]))
            }
        }
    }

    /// Millimetres along the axis; 0 when the return is too weak. The weaker the return, the less sure the distance.
    private mutating func distanceMm(_ light: ZoneLight) -> Int64 {
        guard light.peak + 120 * random.noise() > Self.detectionPeak else { return 0 }
        let deviation = max(1.5, 15_000 / light.peak)
        return max(0, Int64((light.axialM * 1000 + deviation * random.noise()).rounded()))
    }

    /// One printed bin: the mean over the zones that the row merges; nothing past the chip's last physical bin.
    private mutating func value(over span: ClosedRange<Double>, of zones: ZoneBlock, _ lights: [ZoneLight], pedestal: Double) -> Int64 {
        guard span.upperBound > span.lowerBound, span.upperBound <= Self.physicalBins else { return 0 }
        var sum = 0.0
        for row in zones.rows {
            for column in zones.columns {
                let zone = row * zones.side + column
                let light = lights[zone]
                sum += light.peak * meanHeight(over: span, radialM: light.radialM)
                sum += glass[zone] * Self.glassPeak * meanHeight(over: span, centre: Self.glassBin, sigma: Self.glassSigma)
                if let echo = light.echo { sum += echo.peak * meanHeight(over: span, radialM: echo.radialM) }
            }
        }
        let signal = sum / Double(zones.rows.count * zones.columns.count)
        return Int64(pedestal + signal + Self.binDeviation * random.noise())  // towards zero, as the firmware's cast does
    }

    private func meanHeight(over span: ClosedRange<Double>, radialM: Double) -> Double {
        meanHeight(over: span, centre: radialM / Self.metresPerBin, sigma: Self.pulseSigma)
    }

    /// Mean of a bell of height 1 over a stretch of physical bins.
    private func meanHeight(over span: ClosedRange<Double>, centre: Double, sigma: Double) -> Double {
        let reach = 6 * sigma
        guard span.lowerBound < centre + reach, span.upperBound > centre - reach else { return 0 }
        let scale = 1 / (sigma * 1.414_213_562_373_095)
        let area = erf((span.upperBound - centre) * scale) - erf((span.lowerBound - centre) * scale)
        return area * sigma * 1.253_314_137_315_5 / (span.upperBound - span.lowerBound)
    }
}

/// The sensor zones that one row merges.
struct ZoneBlock {
    let columns: Range<Int>
    let rows: Range<Int>
    /// Zones along one side of the grid.
    let side: Int

    var isEmpty: Bool { columns.isEmpty || rows.isEmpty }
}

extension BoardConfiguration {
    /// Empty for a merge of 0, which the firmware accepts.
    func zones(ofAggregate aggregate: Int) -> ZoneBlock {
        let left = aggregateStart.x + aggregate % columns * merge.x
        let top = aggregateStart.y + aggregate / columns * merge.y
        return ZoneBlock(columns: left..<left + merge.x, rows: top..<top + merge.y, side: side)
    }

    /// Slope of a zone's ray across the columns or the rows of the view.
    func tangent(ofIndex index: Int, across view: Float) -> Double {
        tan(((Double(index) + 0.5) / Double(side) - 0.5) * Double(view))
    }
}
