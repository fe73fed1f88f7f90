import Foundation
import Testing
import TransientSensor

/// The program with boards of every family: what each gives, and what is refused of it.
@Suite struct FamilyTests {
    private func simulated(_ profile: String) -> [String] { ["--sensor", "sim:matte-wall", "--profile", profile] }

    struct Refusal: Sendable {
        let profile: String
        let arguments: [String]
        let status: Int32
        let sentence: String
    }

    static let refusals = [
        Refusal(profile: "depz-vl53l8cx", arguments: ["--frames", "3"], status: 7, sentence: "delivers depth only"),
        Refusal(profile: "mini-tof-vl53l8ch", arguments: ["--frames", "3"], status: 7, sentence: "no distances"),
        Refusal(profile: "mini-tof-vl53l8ch", arguments: ["--zones", "4x4"], status: 2, sentence: "takes no '--zones'"),
        Refusal(profile: "tmf882x-mini-tof", arguments: ["--zones", "3x3"], status: 2, sentence: "takes no '--zones'"),
        Refusal(profile: "tmf882x-ams", arguments: ["--bins", "8"], status: 2, sentence: "takes no '--bins'"),
        Refusal(profile: "tmf882x-ams", arguments: ["--zones", "5x5"], status: 2, sentence: "takes 3x3, 4x4, 8x8, not '5x5'"),
        Refusal(profile: "st-nucleo-vl53l8ch", arguments: ["--zones", "3x3"], status: 2, sentence: "takes 4x4 or 8x8, not '3x3'"),
        Refusal(profile: "st-nucleo-vl53l8ch", arguments: ["--count-shift", "1"], status: 2, sentence: "are no counts"),
        Refusal(profile: "tmf882x-ams", arguments: ["--count-shift", "9"], status: 2, sentence: "--count-shift"),
    ]

    @Test(arguments: refusals) func whatABoardDoesNotGiveIsRefused(row: Refusal) throws {
        let capture = try run(["capture"] + simulated(row.profile) + labels + row.arguments, seconds: 30)
        #expect(capture.status == row.status, "\(capture.messages)")
        #expect(capture.output.isEmpty)
        #expect(capture.messages.contains(row.sentence), "\(capture.messages)")
    }

    @Test func withoutDistancesThereIsNothingToValidate() throws {
        let validation = try run(["validate", "--yes", "--plain"] + simulated("mini-tof-vl53l8ch"), seconds: 30)
        #expect(validation.status == 7)
        #expect(validation.messages.contains("it sends histograms and no distances, so there is no visible depth to validate"))
    }

    /// Raw counts of many iterations do not fit into 16 bits: refused by name, until the division is asked for, which every line tells.
    @Test func countsThatDoNotFit() throws {
        let folder = try TemporaryFolder()
        let faults = try Emulator("--profile", "tmf882x-mini-tof", "--fault", "overflow-bin=1")
        let port = ["--port", faults.port, "--profile", "tmf882x-mini-tof"]
        let refused = try run(["capture"] + port + labels + ["--seconds", "2", "--summary-json", folder.path("none")], seconds: 30)
        #expect(refused.status == 1 && refused.output.isEmpty)
        let rejected = try #require(try object(folder.read("none"))["framesRejected"] as? [String: Int])
        #expect((rejected["histogram_overflow"] ?? 0) > 0, "\(rejected)")
        let divided = try run(
            ["capture"] + port + labels + [
                "--frames", "2", "--count-shift", "8", "-o", folder.path("out"), "--summary-json", folder.path("sum"),
            ],
            seconds: 30)
        #expect(divided.status == 0, "\(divided.messages)")
        #expect(try object(folder.read("sum"))["countShift"] as? Int == 8)
        for line in try String(decoding: folder.read("out"), as: UTF8.self).split(separator: "\n") {
            let provenance = try #require(try object(String(line))["provenance"] as? [String: Any])
            #expect((provenance["firmwareVersion"] as? String)?.hasSuffix(".shift8") == true)
        }
        #expect(try run(["check", "--as", "transient", "--sequence", folder.path("out")]).status == 0)
        _ = try faults.stop()
    }

    /// A port of which nothing tells its firmware: it is named by what it says, and what was heard is not lost.
    @Test(arguments: ["st-nucleo-vl53l8ch", "tmf882x-ams", "tmf882x-mini-tof", "mini-tof-vl53l8ch"])
    func anUnknownPortIsNamed(profile: String) throws {
        let emulator = try Emulator("--profile", profile, "--from-reset")
        let probe = try run(["probe", "--open", "--json", "--port", emulator.port], seconds: 60)
        #expect(probe.status == 0, "\(probe.messages)")
        let sensor = try #require((try object(probe.output)["sensors"] as? [[String: Any]])?.first)
        #expect(sensor["profile"] as? String == profile)
        #expect(sensor["source"] as? String == "synthetic")
        _ = try emulator.stop()
    }

    /// Of an unknown firmware that says nothing, every name that could be given is listed, within a bounded time.
    @Test func aSilentPortNamesNobody() throws {
        let emulator = try Emulator("--profile", "depz-vl53l8ch", "--from-reset")
        let probe = try run(["probe", "--open", "--port", emulator.port], seconds: 40)
        #expect(probe.status == 5)
        #expect(probe.messages.contains("nothing was heard at any line rate of a known firmware"))
        for profile in SensorProfile.all { #expect(probe.messages.contains(profile.name)) }
        _ = try emulator.stop()
    }

    /// A fault that a board's firmware does not have is no fault to play.
    @Test func faultsOfOtherBoards() throws {
        let emulation = try run(["emulate", "--pty", "--profile", "mini-tof-vl53l8ch", "--fault", "depz-torn"])
        #expect(emulation.status == 2)
        #expect(emulation.messages.contains("does not play fault 'depz-torn'"))
    }
}
