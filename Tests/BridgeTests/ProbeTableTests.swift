import NLOSCore
import Testing

@testable import TransientSensor
@testable import bridge

@Suite struct ProbeTableTests {
    private static func sensor() -> ProbedSensor {
        ProbedSensor(
            path: "usb:1-4.2", vendorId: "0483", productId: "374b", serial: SerialNumber(Array("0670FF\u{1b}[31m".utf8)),
            board: "ST-LINK V2-1", profile: .nucleoVL53L8CH, access: .ready, node: "/dev/bus/usb/001/004", ttyNodes: ["/dev/ttyACM0"],
            kernelDriver: "cdc_acm", notes: ["usb:1-4.2: the board has restarted its USB five times within ten seconds"], origin: .live,
            firmware: ProbedSensor.Firmware(
                version: "VL53LMZ_2.0.10", shape: FrameShape(zones: 64, bins: 18), framesPerSecond: 8.44, depthCoverage: 0.875,
                framesSeen: 9, bins: 18))
    }

    private func text(width: Int, colour: Bool = false) -> String {
        ProbeTable.text(of: Self.sensor(), on: Terminal(descriptor: -1, isTerminal: colour, isDumb: false, colour: colour), width: width)
    }

    private static let head = """
        usb:1-4.2  ST-LINK V2-1  ready
          usb id      0483:374b
          serial      0670FF\\x1b[31m

        """
    private static let facts = """
          driver      cdc_acm
          profile     st-nucleo-vl53l8ch
          firmware    VL53LMZ_2.0.10
          stream      64 zones x 18 bins, 8.4 frames a second
          coverage    88 % of the zones have a distance


        """
    private static let narrowSignals = """
          signal                         status / may be used as
          visible depth                  available
              direct_depth only
          sensor temperature             unavailable
          compact normalized histograms  available
              input of the NLOS pipeline, at most l1_measured here
          raw histograms                 unavailable
          sensor pose                    unavailable
          reconstruction                 -
              not done by this tool

        """

    @Test func sixtyColumns() {
        #expect(
            text(width: 60) == Self.head + "  node        /dev/bus/usb/001/004 /dev/ttyACM0\n" + Self.facts + Self.narrowSignals
                + "  note: usb:1-4.2: the board has restarted its USB five\n  times within ten seconds\n")
    }

    @Test func eightyColumns() {
        #expect(
            text(width: 80) == Self.head + "  node        /dev/bus/usb/001/004 /dev/ttyACM0\n" + Self.facts + Self.narrowSignals
                + "  note: usb:1-4.2: the board has restarted its USB five times within ten seconds\n")
    }

    @Test func aHundredAndTwentyColumns() {
        let signals = """
              signal                         status       may be used as
              visible depth                  available    direct_depth only
              sensor temperature             unavailable  -
              compact normalized histograms  available    input of the NLOS pipeline, at most l1_measured here
              raw histograms                 unavailable  -
              sensor pose                    unavailable  -
              reconstruction                 -            not done by this tool

            """
        #expect(
            text(width: 120) == Self.head + "  node        /dev/bus/usb/001/004 /dev/ttyACM0\n" + Self.facts
                + signals
                + "  note: usb:1-4.2: the board has restarted its USB five times within ten seconds\n")
    }

    @Test(arguments: 20...200) func neverWiderThanTheTerminalButForWords(width: Int) {
        for line in text(width: width).split(separator: "\n") where line.utf8.count > width {
            // Below 60 columns the names of signals and the paths are wider than the screen; they are not broken.
            #expect(width < 60, "\(width): \(line)")
        }
    }

    @Test func coloursOnlyAdd() {
        let coloured = text(width: 80, colour: true)
        #expect(coloured.contains("\u{1b}[32mready\u{1b}[0m"))
        #expect(coloured.replacing(/\u{1b}\[\d+m/, with: "") == text(width: 80))
    }
}
