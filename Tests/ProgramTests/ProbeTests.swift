import Foundation
import Testing

@Suite struct ProbeTests {
    static let sensorKeys: Set<String> = [
        "path", "vendorId", "productId", "serial", "board", "profile", "sensorModel", "source", "access", "node", "kernelDriver",
        "firmware", "signals", "notes",
    ]
    static let signals = ["visible_depth", "sensor_temperature", "compact_normalized_histogram", "raw_histogram", "sensor_pose"]

    private func sensor(_ arguments: String...) throws -> (Finished, [String: Any]) {
        let finished = try run(["probe", "--json"] + arguments)
        #expect(finished.lines.count == 1)
        let answer = try object(finished.output)
        #expect(Set(answer.keys) == ["schema", "sensors"])
        #expect(answer["schema"] as? String == "nlos-bridge.probe.v1")
        let sensors = try #require(answer["sensors"] as? [[String: Any]])
        return (finished, sensors.first ?? [:])
    }

    @Test func aSensorHasItsKeysBeforeItWasOpened() throws {
        let (finished, sensor) = try sensor("--sensor", "sim:matte-wall")
        #expect(finished.status == 0)
        #expect(Set(sensor.keys) == Self.sensorKeys)
        #expect(sensor["path"] as? String == "sim:matte-wall")
        #expect(sensor["access"] as? String == "ready")
        #expect(sensor["source"] as? String == "synthetic")
        #expect(sensor["profile"] as? String == "st-nucleo-vl53l8ch")
        for absent in ["vendorId", "productId", "serial", "sensorModel", "node", "kernelDriver", "firmware"] {
            #expect(sensor[absent] is NSNull, "\(absent)")
        }
        let signals = try #require(sensor["signals"] as? [[String: String]])
        #expect(signals.map { $0["signal"] } == Self.signals)
        for signal in signals {
            #expect(Set(signal.keys) == ["signal", "status", "use"])
            // Nothing was seen yet, so nothing is promised.
            #expect(signal["status"] != "available")
        }
    }

    @Test func anOpenedSensorSaysWhatWasSeen() throws {
        let (finished, sensor) = try sensor("--open", "--sensor", "sim:matte-wall")
        #expect(finished.status == 0)
        #expect(Set(sensor.keys) == Self.sensorKeys)
        #expect(sensor["sensorModel"] as? String == "VL53L8CH")
        let firmware = try #require(sensor["firmware"] as? [String: Any])
        #expect(Set(firmware.keys) == ["banner", "version", "zones", "bins", "framesPerSecond", "depthCoverage", "temperatureC"])
        #expect(firmware["zones"] as? Int == 64)
        #expect(firmware["bins"] as? Int == 18)
        let signals = try #require(sensor["signals"] as? [[String: String]])
        let uses = Dictionary(uniqueKeysWithValues: signals.map { ($0["signal"]!, [$0["status"]!, $0["use"]!]) })
        #expect(
            uses == [
                "visible_depth": ["available", "direct_depth_only"],
                "sensor_temperature": ["unavailable", "none"],
                "compact_normalized_histogram": ["available", "nlos_input_l1_at_most"],
                "raw_histogram": ["unavailable", "none"],
                "sensor_pose": ["unavailable", "none"],
            ])
    }

    @Test func aBoardThatStartsNamesItsFirmware() throws {
        let board = try Emulator("--from-reset", "--fault", "delay=1")
        let (finished, sensor) = try sensor("--open", "--port", board.port)
        #expect(finished.status == 0)
        let firmware = try #require(sensor["firmware"] as? [String: Any])
        #expect((firmware["version"] as? String)?.isEmpty == false)
        #expect(sensor["path"] as? String == "tty:\(board.port)")
        // A program speaks on a pseudo-terminal, whatever it says.
        #expect(sensor["source"] as? String == "synthetic")
        #expect(try board.stop() == 130)
    }

    @Test func aBoardThatDoesNotReachItsSensorIsADeviceError() throws {
        let board = try Emulator("--from-reset", "--fault", "not-detected")
        let (finished, sensor) = try sensor("--open", "--port", board.port)
        #expect(finished.status == 5)
        #expect(finished.messages.contains("tty:\(board.port): the board does not reach its sensor"))
        #expect(sensor["firmware"] is NSNull)
        #expect(try board.stop() == 130)
    }

    @Test(.enabled(if: Machine.hasNoSensor, "a sensor is attached to this machine"))
    func nobodyThereIsStatus3AndStillAnObject() throws {
        let (finished, sensor) = try sensor()
        #expect(finished.status == 3)
        #expect(sensor.isEmpty)
        #expect(finished.messages.contains("nlos-bridge: no sensor is attached\n  next: plug the board in, then nlos-bridge probe"))
    }

    @Test(.enabled(if: Machine.hasNoSensor, "a sensor is attached to this machine"), arguments: [SIGTERM, SIGINT])
    func watchingNothingPrintsNothingAndEndsByASignal(signal: CInt) throws {
        let program = try RunningProgram(["probe", "--watch", "--json"])
        try program.waitUntilItBlocks(signal)
        program.send(signal: signal)
        #expect(try program.finish() == 128 + signal)
        #expect(program.text.isEmpty)
    }

    @Test func theTableKeepsEachSignalApartAndNamesTheUseOfEach() throws {
        let finished = try run(["probe", "--sensor", "sim:hidden-target"], environment: ["COLUMNS": "120"])
        #expect(finished.status == 0)
        for words in [
            "SYNTHETIC", "visible depth", "direct_depth only", "input of the NLOS pipeline, at most l1_measured here", "sensor pose",
            "not done by this tool",
        ] { #expect(finished.output.contains(words)) }
    }
}

/// What this machine has.
enum Machine {
    static let hasNoSensor: Bool = {
        guard let finished = try? run(["probe", "--json"]), let answer = try? object(finished.output) else { return false }
        return (answer["sensors"] as? [Any])?.isEmpty == true
    }()
    static let isRoot = getuid() == 0
    static let asNobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    /// Whether a user without rights can run the program at all, where it was built.
    static let canBeNobody = isRoot && (try? run(["--version"], through: asNobody).status) == 0
}

extension RunningProgram {
    /// Until the process takes this signal as an event of its loop, as the kernel tells it.
    func waitUntilItBlocks(_ signal: CInt) throws {
        for _ in 0..<3_000 {
            let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
            let mask = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }?.split(separator: "\t").last
            if let mask, let bits = UInt64(mask, radix: 16), bits & 1 << UInt64(signal - 1) != 0 { return }
            usleep(2_000)
        }
        throw Late(self)
    }
}
