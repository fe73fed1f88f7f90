import NLOSCore
import Testing

@testable import TransientSensor

@Suite struct ConfigurationTests {
    typealias Configuration = VL53L8CHConfiguration

    /// The packets of the hardware reference, byte for byte.
    @Test func packets() {
        let example = Configuration(rateHz: 30, integrationMs: 10, startBin: 0, bins: 8, subsample: 16)
        #expect(
            example.packet == [
                0x10, 0, 1, 0, 0x1e, 0, 0x0a, 0, 0, 0, 8, 0, 0x10, 0, 0, 0, 0, 0, 1, 0, 1, 0, 4, 0, 4, 0,
            ])
        #expect(
            Configuration.firmwareDefault.packet == [
                0x40, 0, 1, 0, 0x0f, 0, 0x64, 0, 0, 0, 0x12, 0, 7, 0, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0, 8, 0,
            ])
        var autonomous = Configuration.reference
        autonomous.mode = .autonomous
        autonomous.integrationMs = 300
        #expect(autonomous.packet[2...3] == [3, 0] && autonomous.packet[6...7] == [0x2c, 1])
    }

    @Test func shapesAndTiming() {
        #expect(Configuration.reference.shape == FrameShape(zones: 16, bins: 48))
        #expect(Configuration.reference.timing(.configured) == BinTiming(binWidthPs: 250, startBin: 30, basis: .configured))
        #expect(Configuration.firmwareDefault.shape == FrameShape(zones: 64, bins: 18))
        #expect(Configuration.firmwareDefault.timing(.assumed) == BinTiming(binWidthPs: 1_750, startBin: 0, basis: .assumed))
    }

    struct Bound: Sendable {
        let name: String
        let allowed: [Configuration]
        let refused: [Configuration]
    }

    private static func with(_ base: Configuration = Configuration(startBin: 0, bins: 8), _ change: (inout Configuration) -> Void)
        -> Configuration
    {
        var other = base
        change(&other)
        return other
    }

    private static let small8x8 = Configuration(grid: .zones8x8, rateHz: 15, startBin: 0, bins: 8)

    /// Both sides of every limit.
    static let bounds: [Bound] = [
        Bound(
            name: "rate", allowed: [with { $0.rateHz = 1 }, with { $0.rateHz = 60 }],
            refused: [with { $0.rateHz = 0 }, with { $0.rateHz = 61 }]),
        Bound(name: "rate 8x8", allowed: [small8x8], refused: [with(small8x8) { $0.rateHz = 16 }]),
        Bound(
            name: "integration", allowed: [with { $0.integrationMs = 2 }, with { ($0.rateHz, $0.integrationMs) = (1, 1_000) }],
            refused: [with { $0.integrationMs = 1 }, with { ($0.rateHz, $0.integrationMs) = (1, 1_001) }]),
        Bound(name: "period", allowed: [with { $0.integrationMs = 33 }], refused: [with { $0.integrationMs = 34 }]),
        Bound(name: "bins", allowed: [with { $0.bins = 8 }], refused: [with { $0.bins = 7 }, with { $0.bins = 129 }]),
        Bound(
            name: "subsample", allowed: [with { $0.subsample = 1 }, with { $0.subsample = 16 }],
            refused: [with { $0.subsample = 0 }, with { $0.subsample = 17 }]),
        Bound(
            name: "start", allowed: [with { $0.startBin = 0 }, with { $0.startBin = 120 }],
            refused: [with { $0.startBin = -1 }, with { $0.startBin = 121 }, with { $0.startBin = 128 }]),
        Bound(name: "range", allowed: [with { ($0.bins, $0.subsample) = (16, 8) }], refused: [with { ($0.bins, $0.subsample) = (16, 9) }]),
        Bound(name: "memory", allowed: [with { $0.bins = 75 }], refused: [with { $0.bins = 76 }]),
        Bound(name: "memory 8x8", allowed: [with(small8x8) { $0.bins = 18 }], refused: [with(small8x8) { $0.bins = 19 }]),
        Bound(
            name: "line", allowed: [with { ($0.bins, $0.rateHz) = (48, 59) }, with { ($0.bins, $0.rateHz) = (75, 38) }],
            refused: [with { ($0.bins, $0.rateHz) = (48, 60) }, with { ($0.bins, $0.rateHz) = (75, 39) }]),
    ]

    @Test(arguments: bounds.indices)
    func bothSides(index: Int) {
        let bound = Self.bounds[index]
        for configuration in bound.allowed {
            #expect(throws: Never.self, "\(bound.name) \(configuration)") { try configuration.validate() }
        }
        for configuration in bound.refused {
            do {
                try configuration.validate()
                Issue.record("\(bound.name): \(configuration) passed")
            } catch {
                #expect(!error.nearest.isEmpty, "\(bound.name)")
                for nearest in error.nearest {
                    #expect(throws: Never.self, "\(bound.name): \(nearest)") { try nearest.validate() }
                    #expect(nearest != configuration)
                }
                #expect(error.message.next?.contains("--bins") == true)
            }
        }
    }

    /// A light sensor setting of 64 x 18 at 15 Hz fits the line; 128 bins do not fit the sensor, and the numbers are said.
    @Test func refusalNamesNumbers() throws {
        try Configuration(grid: .zones8x8, rateHz: 15, startBin: 0, bins: 18, subsample: 7).validate()
        let refusal = #expect(throws: ConfigurationRefusal.self) {
            try Configuration(grid: .zones8x8, rateHz: 15, startBin: 0, bins: 128).validate()
        }
        #expect(refusal?.reason == .memory(zones: 64, bins: 128, bytes: 41_308, limit: 6_160))
        #expect(refusal?.nearest.first == Configuration(grid: .zones8x8, rateHz: 15, startBin: 0, bins: 18))
        #expect(refusal?.message.text == "64 zones x 128 bins take 41308 bytes of the sensor's memory, which has 6160 for histograms")
        #expect(refusal?.message.next?.hasPrefix("--zones 8x8 --bins 18 --start-bin 0 --subsample 1 --rate 15 --integration-ms 10") == true)
        let line = #expect(throws: ConfigurationRefusal.self) { try Configuration(rateHz: 60).validate() }
        #expect(line?.reason == .line(frameBytes: 3_733, rateHz: 60, needed: 223_968, limit: 221_000))
        #expect(line?.nearest == [Configuration(rateHz: 59), Configuration(rateHz: 60, bins: 47)])
    }

    /// Whatever is asked, nothing traps, and what is suggested is possible.
    @Test func anyIntegers() {
        let odd = [Int.min, -1, 0, 1, 7, 16, 100, 1_000, 65_536, Int.max]
        for rate in odd {
            for other in odd {
                for grid in Configuration.Grid.allCases {
                    let configurations = [
                        Configuration(grid: grid, rateHz: rate, integrationMs: other),
                        Configuration(grid: grid, rateHz: 2, startBin: rate, bins: other),
                        Configuration(grid: grid, rateHz: 2, startBin: 0, bins: rate, subsample: other),
                    ]
                    for configuration in configurations {
                        #expect(configuration.packet.count == 26)
                        do { try configuration.validate() } catch {
                            for nearest in error.nearest { #expect(throws: Never.self) { try nearest.validate() } }
                            #expect(!error.message.text.isEmpty)
                        }
                    }
                }
            }
        }
    }

    /// The table of the hardware reference: zones, bins, histogram bytes, frame bytes, realistic frames a second (60 and 15 are the sensor's).
    @Test(arguments: [
        (16, 8, 748, 789, 60), (16, 16, 1_388, 1_378, 37), (16, 24, 2_028, 1_966, 26), (16, 32, 2_668, 2_555, 20),
        (16, 48, 3_948, 3_733, 14),
        (16, 75, 6_108, 5_720, 9), (64, 8, 2_908, 3_179, 15), (64, 12, 4_188, 4_357, 12), (64, 16, 5_468, 5_534, 9),
        (64, 18, 6_108, 6_123, 8),
    ])
    func costs(zones: Int, bins: Int, sensorBytes: Int, frameBytes: Int, hertz: Int) {
        let grid = Configuration.Grid(rawValue: zones)!
        let configuration = Configuration(grid: grid, rateHz: grid.ratesHz.upperBound, startBin: 0, bins: bins)
        #expect(configuration.sensorBytes == sensorBytes)
        #expect(Int(configuration.frameBytes.rounded()) == frameBytes)
        #expect(Int(configuration.realisticHz.rounded()) == hertz)
    }

    @Test func rateNotices() {
        #expect(Configuration(rateHz: 30, startBin: 0, bins: 16).rateNotice == nil)
        #expect(Configuration.reference.rateNotice?.text.contains("13.9 Hz, not at the 30 Hz asked") == true)
        #expect(Configuration(rateHz: 1, startBin: 0, bins: 8).rateNotice != nil)
    }
}
