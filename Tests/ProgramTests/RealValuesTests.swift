import Foundation
import NLOSCore
import Testing
import TransientSensor

/// Histograms of real sensors, from the public recordings, printed by the simulated firmware, read by the program, and compared with
/// its lines number by number.
@Suite(.enabled(if: Recordings.folder != nil, "needs the public recordings (NLOS_RECORDINGS) and python3"))
struct RealValuesTests {
    /// One VL53L8CH block (DEPZ), 29 % of it negative; and thirty frames of person tracking and camera localization, some too bright.
    @Test(arguments: Recordings.Kind.allCases) func everyNumberArrives(kind: Recordings.Kind) throws {
        let recorded = try Recordings.frames(of: kind)
        try #require(recorded.count == kind.count)
        let expected = recorded.filter(\.fits)
        let board = try Terminal()
        let bins = recorded[0].histogram[0].count
        let capture = try RunningProgram(
            [
                "capture", "--port", board.node, "--no-configure", "--zones", "4x4", "--bins", "\(bins)", "--start-bin", "\(kind.startBin)",
                "--subsample", "\(kind.subsample)", "--frames", "\(expected.count)",
            ] + labels)
        try capture.wait { $0.said.contains("labelled synthetic") }

        var firmware = SimulatedBoard(scene: .recorded(recorded.map(\.printed)), seed: 1, startNs: 0, joining: .midStream)
        while try !capture.hasEnded(milliseconds: 1) {
            var text: [UInt8] = []
            firmware.advance(toNs: try #require(firmware.nextEventNs)) { text.append(contentsOf: $0) }
            board.write(text)
        }
        #expect(try capture.finish() == 0)
        #expect(capture.lines.count == expected.count)
        #expect(capture.said.contains("histogram_overflow") == (expected.count < recorded.count))

        let frames = try capture.lines.map { try TransientFrame.decode(Array($0.utf8)) }
        // Where the program joined; from there on every frame is the next one that fits.
        let first = try #require(expected.firstIndex { $0.matches(frames[0]) })
        for (index, frame) in frames.enumerated() {
            let same = expected[(first + index) % expected.count].matches(frame)
            #expect(same, "frame \(index)")
            #expect(frame.evidence == .synthetic)
            #expect(frame.binWidthPs == 250 * Float(kind.subsample))
            #expect(frame.startBin == kind.startBin)
        }
    }
}

/// The public recordings, read by python3 and not by this package.
enum Recordings {
    static let folder: String? = {
        let folder =
            ProcessInfo.processInfo.environment["NLOS_RECORDINGS"].map { URL(filePath: $0) }
            ?? packageRoot.appending(path: "../shared/recordings")
        let here = FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path(percentEncoded: false))
        let python = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
        return here && python ? folder.path(percentEncoded: false) : nil
    }()

    enum Kind: String, CaseIterable {
        case depz, nlos

        var count: Int { self == .depz ? 1 : 30 }
        var startBin: UInt16 { self == .depz ? 10 : 0 }
        var subsample: Int { self == .depz ? 2 : 1 }
    }

    struct Frame: Decodable {
        let distanceMm: [Int64]
        let histogram: [[Int64]]

        /// As the firmware has it to print.
        var printed: FirmwareFrame {
            FirmwareFrame(
                bins: histogram[0].count, ambient: distanceMm.map { _ in 7 }, distanceMm: distanceMm, histogram: histogram.flatMap { $0 },
                arrival: Arrival(monotonicNs: 0, unixMs: 0))
        }

        /// Whether the wire's 16 bits hold every value; a frame with one that they do not is refused whole.
        var fits: Bool { histogram.allSatisfy { $0.allSatisfy { $0 <= 65_535 } } }

        /// What is below zero has no place on the wire, and is 0 there; nothing else may differ.
        func matches(_ frame: TransientFrame) -> Bool {
            frame.zones.histograms.map(Int64.init) == histogram.flatMap { $0 }.map { max(0, $0) }
                && frame.zones.distancesM == distanceMm.map { Float($0) / 1000 } && frame.zones.ambient.allSatisfy { $0 == 7 }
        }
    }

    static func frames(of kind: Kind) throws -> [Frame] {
        let program = try RunningProgram(["-c", script, folder ?? "", kind.rawValue], of: "/usr/bin/python3")
        #expect(try program.finish() == 0, "\(program.said)")
        return try program.lines.map { try JSONDecoder().decode(Frame.self, from: Data($0.utf8)) }
    }

    /// The firmware prints a value times 1000. The processed NLOS values are means over sixty frames, so times 60 makes them integers.
    private static let script = #"""
        import glob, json, struct, sys, zipfile
        folder, kind = sys.argv[1:]
        def array(archive, name, count):
            return struct.unpack("<%dd" % count, archive.read(name)[-8 * count:])
        if kind == "depz":
            rows = json.load(open(folder + "/depz-sensor-sdk/vl53l8_cnh.json"))["expected"]["aggregates"]
            bins = [[int(m / 2 ** e * 1000) for m, e in zip(r["hist_raw"], r["hist_scaler"])] for r in rows]
            print(json.dumps({"distanceMm": [1000 + z for z in range(16)], "histogram": bins}))
        else:
            for file in sorted(glob.glob(folder + "/consumer-nlos/*/*.npz")):
                archive = zipfile.ZipFile(file)
                values, points = array(archive, "hists.npy", 2048), array(archive, "pt_cloud.npy", 48)
                far = [sum(points[z + 16 * axis] ** 2 for axis in range(3)) ** 0.5 for z in range(16)]
                print(json.dumps({"distanceMm": [round(1000 * d) for d in far],
                    "histogram": [[round(60 * v) for v in values[128 * z:128 * z + 128]] for z in range(16)]}))
        """#
}
