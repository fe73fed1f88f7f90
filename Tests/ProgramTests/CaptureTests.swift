import Foundation
import Testing

@Suite struct CaptureTests {
    static let summaryKeys: Set<String> = [
        "schema", "profile", "framesEmitted", "framesPerSecond", "framesRejected", "bytesReceived", "bytesSkipped", "bytesLost",
        "negativesEmittedAsZero", "stalls", "wallClockSteps", "framesMissing", "countShift", "binTiming", "firmwareVersion", "gaps",
        "gapsNotListed", "end", "sha256",
        "recording",
    ]

    @Test(arguments: ["matte-wall", "hidden-target", "moving"]) func aSimulatedBoardsFramesKeepTheContractAndSaySynthetic(
        scene: String
    ) throws {
        let folder = try TemporaryFolder()
        let capture = try run(
            ["capture", "--sensor", "sim:\(scene)", "--frames", "4", "-o", folder.path("out"), "--summary-json", folder.path("sum")]
                + labels)
        #expect(capture.status == 0)
        #expect(capture.output.isEmpty)
        #expect(capture.messages.contains("sim:\(scene): a program speaks there and no sensor"))
        let check = try run(["check", "--as", "transient", "--sequence", folder.path("out")])
        #expect(check.status == 0)
        #expect(check.output == "4 of 4 messages accepted\n")
        for line in try String(decoding: folder.read("out"), as: UTF8.self).split(separator: "\n") {
            let frame = try object(String(line))
            let provenance = try #require(frame["provenance"] as? [String: Any])
            #expect(frame["source"] as? String == "synthetic")
            #expect(frame["evidenceLevel"] as? String == "l0_synthetic")
            #expect(provenance["transientKind"] as? String == "replay")
            #expect(provenance["transport"] as? String == "replay")
            #expect(provenance["sensorId"] as? String == "s")
            #expect(frame["sessionId"] as? String == "t")
        }
        let summary = try object(folder.read("sum"))
        #expect(Set(summary.keys) == Self.summaryKeys)
        #expect(summary["schema"] as? String == "nlos-bridge.capture-summary.v1")
        #expect(summary["framesEmitted"] as? Int == 4)
        #expect(summary["framesRejected"] as? [String: Int] == [:])
        #expect(summary["bytesLost"] as? Int == 0)
        #expect(summary["binTiming"] as? String == "firmware_default")
        #expect(summary["firmwareVersion"] as? String == "VL53LMZ_2.0.10")
        #expect((summary["gaps"] as? [Any])?.isEmpty == true)
        #expect(summary["end"] as? String == "frames_reached")
        #expect(summary["recording"] is NSNull)
        #expect(try summary["sha256"] as? String == sha256(ofFile: folder.path("out")))
        #expect(summary["framesPerSecond"] is Double)
    }

    @Test func aConfiguredBoardDeliversWhatWasAsked() throws {
        let capture = try run(
            [
                "capture", "--sensor", "sim:matte-wall", "--zones", "4x4", "--bins", "24", "--start-bin", "20", "--subsample", "2",
                "--frames", "2",
            ]
                + labels)
        #expect(capture.status == 0)
        #expect(capture.messages.contains("(as configured)"))
        #expect(capture.messages.contains("Hz, not at the 30 Hz asked"))
        for line in capture.lines {
            let frame = try object(line)
            #expect(frame["binWidthPs"] as? Double == 500)
            #expect(frame["startBin"] as? Int == 20)
            let zones = try #require(frame["zones"] as? [[String: Any]])
            #expect(zones.count == 16)
            #expect(zones.allSatisfy { ($0["histogram"] as? [Int])?.count == 24 })
        }
    }

    @Test func whatNobodyCanSeeIsRefusedByItsName() throws {
        let folder = try TemporaryFolder()
        let capture = try run(
            ["capture", "--sensor", "sim:dark-wall", "--seconds", "1", "--summary-json", folder.path("sum")] + labels)
        #expect(capture.status == 1)
        #expect(capture.output.isEmpty)
        let summary = try object(folder.read("sum"))
        #expect(summary["end"] as? String == "time_reached")
        #expect((summary["framesRejected"] as? [String: Int])?["invalid_distance"] ?? 0 > 0)
        #expect(summary["framesPerSecond"] is NSNull)
        #expect(capture.messages.contains("no frame could be emitted; most were refused as invalid_distance"))
    }

    @Test func aPseudoTerminalIsNeverLiveAndNeitherIsARecordingOfIt() throws {
        let folder = try TemporaryFolder()
        let board = try Emulator()
        let capture = try run(
            [
                "capture", "--port", board.port, "--frames", "5", "-o", folder.path("out"), "--record", folder.path("raw.pcap"),
                "--summary-json", folder.path("sum"),
            ] + labels)
        #expect(capture.status == 0)
        #expect(try run(["check", "--as", "transient", "--sequence", folder.path("out")]).output == "5 of 5 messages accepted\n")
        let summary = try object(folder.read("sum"))
        let recording = try #require(summary["recording"] as? [String: Any])
        #expect(Set(recording.keys) == ["file", "sha256", "complete"])
        #expect(recording["complete"] as? Bool == true)
        #expect(try recording["sha256"] as? String == sha256(ofFile: folder.path("raw.pcap")))

        let replay = try run(["replay", "--fast", folder.path("raw.pcap")])
        #expect(replay.status == 0)
        let captured = try folder.lines("out")
        #expect(replay.lines.count == captured.count)
        for (played, taken) in zip(replay.lines, captured) {
            let (played, taken) = try (object(played), object(taken))
            #expect(played["source"] as? String == "synthetic")
            #expect(played["evidenceLevel"] as? String == "l0_synthetic")
            #expect(played["zones"] as? NSArray == taken["zones"] as? NSArray)
        }
        #expect(try board.stop() == 130)
    }

    @Test func aRecordingTakenAsASensorIsAReplayToo() throws {
        let folder = try TemporaryFolder()
        let board = try Emulator()
        #expect(try run(["capture", "--port", board.port, "--frames", "3", "--record", folder.path("raw.pcap")] + labels).status == 0)
        let capture = try run(["capture", "--sensor", "replay:\(folder.path("raw.pcap"))"] + labels)
        #expect(capture.status == 0)
        #expect(capture.lines.count == 3)
        for line in capture.lines { #expect(try object(line)["source"] as? String == "synthetic") }
    }

    @Test func eachFrameHasItsOwnPose() throws {
        let folder = try TemporaryFolder()
        let poses = (0..<3).map { #"{"translationM":{"x":\#($0),"y":0,"z":0.5},"quaternionXyzw":[0,0,0,1]}"# }
        let file = try folder.write(poses.joined(separator: "\n"), to: "poses.jsonl")
        let arguments = ["capture", "--sensor", "sim:matte-wall", "--session", "t", "--sensor-id", "s", "--pose-jsonl", file]
        let capture = try run(arguments + ["--frames", "3"])
        #expect(capture.status == 0)
        let x = try capture.lines.map { line in
            ((try object(line)["sensorPose"] as? [String: Any])?["translationM"] as? [String: Double])?["x"]
        }
        #expect(x == [0, 1, 2])
        // One frame more than there are poses ends the run; what was emitted stays.
        let longer = try run(arguments + ["--frames", "4"])
        #expect(longer.status == 1)
        #expect(longer.lines.count == 3)
        #expect(longer.messages.contains("poses.jsonl: holds 3 poses and one more frame came; it needs one a frame"))
        let bad = try folder.write(#"{"translationM":{"x":0,"y":0,"z":0},"quaternionXyzw":[0,0,0,2]}"#, to: "bad.jsonl")
        let refused = try run(arguments.dropLast() + [bad, "--frames", "1"])
        #expect(refused.status == 1)
        #expect(refused.messages.contains("bad.jsonl:1: not a pose"))
    }

    /// A row does not carry the width of its bins. Where nothing else tells it either, no frame may claim one.
    @Test func aStreamOfUnknownBinsIsRefused() throws {
        let board = try Terminal()
        let capture = try RunningProgram(["capture", "--port", board.node, "--profile", "st-nucleo-vl53l8ch"] + labels)
        try capture.wait { $0.said.contains("labelled synthetic") }
        board.write(FirmwareText.frames(5, zones: 16, bins: 20))
        #expect(try capture.finish() == 7)
        #expect(capture.output.isEmpty)
        #expect(capture.said.contains("16 zones x 20 bins and nothing says how wide its bins are, so no honest frame can be made of it"))
        #expect(capture.said.contains("\n  next: add --zones, --bins, --start-bin and --subsample"))
        // The user's word for it is enough, and is written down as such.
        let stated = ["--no-configure", "--zones", "4x4", "--bins", "20", "--start-bin", "10", "--subsample", "2", "--frames", "2"]
        let told = try RunningProgram(["capture", "--port", board.node] + labels + stated)
        try told.wait { $0.said.contains("labelled synthetic") }
        board.write(FirmwareText.frames(5, zones: 16, bins: 20))
        #expect(try told.finish() == 0)
        #expect(told.said.contains("500 ps a bin, first physical bin 10 (as you stated)"))
    }

    @Test(.enabled(if: Machine.canBeNobody, "only root can become somebody without rights"))
    func aPortThatMayNotBeOpened() throws {
        let board = try Terminal()
        let capture = try run(["capture", "--port", board.node, "--frames", "1"] + labels, through: Machine.asNobody)
        #expect(capture.status == 4)
        #expect(capture.messages.contains("tty:\(board.node): cannot open \(board.node): permission denied\n  next: ls -l \(board.node)"))
    }

    @Test func aFileThatIsThereIsNotReplaced() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("mine", to: "out")
        for option in ["-o", "--record"] {
            let capture = try run(["capture", "--sensor", "sim:matte-wall", "--frames", "1", option, file] + labels)
            #expect(capture.status == 1)
            #expect(capture.messages.contains("out: is there already and is not replaced\n  next: choose another name, or add --force"))
            #expect(try folder.read("out") == Data("mine".utf8))
        }
        #expect(try run(["capture", "--sensor", "sim:matte-wall", "--frames", "1", "-o", file, "--force"] + labels).status == 0)
        #expect(try run(["check", "--as", "transient", file]).status == 0)
    }

    @Test func twoProgramsDoNotWriteOneFile() throws {
        let folder = try TemporaryFolder()
        let first = try RunningProgram(["capture", "--sensor", "sim:matte-wall", "-o", folder.path("out")] + labels)
        try first.waitForBytes(in: folder.path("out"))
        let second = try run(["capture", "--sensor", "sim:matte-wall", "--frames", "1", "-o", folder.path("out"), "--force"] + labels)
        #expect(second.status == 1)
        #expect(second.messages.contains("out: cannot lock"))
        first.send(signal: SIGINT)
        #expect(try first.finish() == 130)
        #expect(try run(["check", "--as", "transient", "--sequence", folder.path("out")]).status == 0)
    }

    /// A frame that is refused takes no pose: one line of the file for each emitted frame.
    @Test func aRefusedFrameTakesNoPose() throws {
        let folder = try TemporaryFolder()
        let poses = try folder.write(
            (1...9).map { #"{"translationM":{"x":\#($0),"y":0,"z":0},"quaternionXyzw":[0,0,0,1]}"# }.joined(separator: "\n"), to: "poses")
        let board = try Emulator("--fault", "overflow-bin=2")
        let capture = try run(
            ["capture", "--port", board.port, "--frames", "5", "--session", "t", "--sensor-id", "s", "--pose-jsonl", poses])
        #expect(capture.status == 0)
        #expect(capture.messages.contains("histogram_overflow"))
        let places = try capture.lines.map {
            try ((object($0)["sensorPose"] as? [String: Any])?["translationM"] as? [String: Any])?["x"] as? Int
        }
        #expect(places == [1, 2, 3, 4, 5])
    }

    /// Not even with --force is a file written over that the run reads or writes already, whatever way it is spelled.
    @Test func noFileIsUsedTwice() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(TransientLine().run(of: 3), to: "in")
        let before = try folder.read("in")
        let other = folder.path("../\(folder.url.lastPathComponent)/in")
        for options in [["-o", other], ["--summary-json", file]] {
            let replay = try run(["replay", "--fast", file, "--force"] + options)
            #expect(replay.status == 2)
            #expect(replay.messages.contains("would be written over"))
        }
        #expect(try folder.read("in") == before)
        let new = try run(["capture", "--sensor", "sim:moving", "-o", folder.path("a"), "--record", folder.path("./a")] + labels)
        #expect(new.status == 2)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a")))
    }

    @Test func aDeviceIsNoFileToKeep() throws {
        #expect(try run(["capture", "--sensor", "sim:moving", "--frames", "1", "-o", "/dev/null"] + labels).status == 0)
    }

    @Test func aRunThatNeverStartedLeavesASummaryAndNothingElse() throws {
        let folder = try TemporaryFolder()
        let missing = try run(
            [
                "capture", "--port", "/dev/nlos-none", "-o", folder.path("out"), "--record", folder.path("raw"), "--summary-json",
                folder.path("sum"),
            ]
                + labels)
        #expect(missing.status == 3)
        #expect(try object(folder.read("sum"))["end"] as? String == "device_error")
        #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("raw")))

        let old = try folder.write("precious\n", to: "old")
        #expect(try run(["capture", "--port", "/dev/nlos-none", "-o", old, "--force"] + labels).status == 3)
        #expect(try folder.read("old") == Data("precious\n".utf8))
    }

    @Test func theFirmwaresVersionIsWhatItSaysOrWhatTheUserSays() throws {
        let board = try Emulator("--from-reset", "--fault", "delay=1")
        let capture = try run(["capture", "--port", board.port, "--frames", "1"] + labels)
        #expect(capture.status == 0)
        let heard = (try object(capture.output)["provenance"] as? [String: Any])?["firmwareVersion"] as? String
        #expect(heard?.hasPrefix("VL53LMZ_") == true)
        // Its start was seen, so its bins are known and not assumed.
        #expect(capture.messages.contains("(the firmware's default, its start was seen)"))
        let told = try run(["capture", "--port", board.port, "--frames", "1", "--firmware-version", "mine-1"] + labels)
        // Nobody saw this board start, so every line says that its bins are assumed, whatever else the user knows.
        #expect((try object(told.output)["provenance"] as? [String: Any])?["firmwareVersion"] as? String == "mine-1.assumed-bins")
    }
}

extension TemporaryFolder {
    func lines(_ name: String) throws -> [String] {
        String(decoding: try read(name), as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

extension RunningProgram {
    /// Until the file has something in it; the kernel is asked, the program says nothing about it.
    func waitForBytes(in file: String, atLeast count: Int = 1) throws {
        for _ in 0..<6_000 {
            let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
            if size >= count { return }
            usleep(5_000)
        }
        throw Late(self)
    }
}
