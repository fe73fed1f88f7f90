import Foundation
import Testing

/// `validate` as a program: what it prints where, what it leaves behind, and what the shell learns.
struct ValidateTests {
    private static let quick = ["--sensor", "sim:matte-wall", "--shortened", "--json"]

    @Test("The full 45 seconds: completed, exported with consent, and nothing in it that says where or what was measured")
    func completed() throws {
        let folder = try TemporaryFolder()
        let finished = try run(
            ["validate", "--sensor", "sim:matte-wall", "--json", "--export", folder.path("wall.json"), "--consent-export"], seconds: 120)
        #expect(finished.status == 0, "\(finished.messages)")
        #expect(finished.lines.count == 1)
        let diagnostic = try object(finished.output)
        #expect(diagnostic["completionStatus"] as? String == "completed")
        #expect(diagnostic["failureReason"] == nil)
        #expect(diagnostic["sensorModelFamily"] as? String == "VL53L8CH (SYNTHETIC)")
        let bytes = try folder.read("wall.json")
        #expect(String(decoding: bytes, as: UTF8.self) == finished.output)
        #expect(try mode(of: folder.path("wall.json")) == 0o600)
        try isSilent(String(decoding: bytes, as: UTF8.self), about: [folder.url.path(), "matte"])
        #expect(finished.messages.contains("SYNTHETIC"))
    }

    /// No path, address, host, user or identifier, and no number that could be a wall's distance.
    private func isSilent(_ text: String, about more: [String]) throws {
        let text = text.replacing(/"sessionId":"[^"]*"/, with: "")
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count)
        let name = host.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        for word in ["/", "\\", "usb", "tty", "pts", "sim:", "replay", "@", "serial", "localhost", name, NSUserName()] + more {
            // "usbPermission" is the contract's own.
            #expect(!text.replacing("usbPermission", with: "").contains(word) || word.count < 3, "\(word)")
        }
        let numbers = text.matches(of: /:(-?[0-9.]+)/).compactMap { Double($0.output.1) }
        // The simulated wall is 1,150 to 1,250 mm away; so many frames come in the wall scan at most.
        #expect(numbers.allSatisfy { !(1.1...1.3).contains($0) && !(1_100...1_300).contains($0) }, "\(numbers)")
        #expect(text.firstMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+/) == nil)
    }

    private func mode(of path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("A shortened run is never completed: status 1, and its result says so everywhere")
    func shortened() throws {
        let finished = try run(["validate", "--sensor", "sim:matte-wall", "--shortened"], seconds: 60)
        #expect(finished.status == 1)
        #expect(finished.output.hasPrefix("shortened: "))
        #expect(finished.output.contains("SHORTENED: ") && finished.output.contains("SYNTHETIC: "))
        #expect(finished.output.contains(#""completionStatus": "cancelled""#))
        #expect(finished.output.contains("--export FILE --consent-export"))
        let lines = finished.messages.split(separator: "\n").filter { $0.contains("left") }
        #expect((6...10).contains(lines.count), "one line a second")
        #expect(lines.allSatisfy { $0.hasPrefix("SYNTHETIC SHORTENED ") })
        for text in [finished.output, finished.messages] {
            #expect(!text.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\n") || $0 > 0x7e })
        }
    }

    @Test("With --json standard output has one line and nothing else")
    func json() throws {
        let finished = try run(["validate"] + Self.quick, seconds: 60)
        #expect(finished.status == 1)
        #expect(finished.output.hasSuffix("}\n") && finished.lines.count == 1)
        #expect(try object(finished.output)["schema"] as? String == "ruview.bridge.visible-depth-diagnostic.v1")
        #expect(finished.messages.contains("calibration") && !finished.messages.contains("\"schema\""))
    }

    static let signals: [(signal: CInt, status: Int32)] = [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 143)]

    @Test("A signal ends the run, and its diagnostic is there all the same", arguments: signals)
    func signalled(signal: CInt, status: Int32) throws {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(
            ["validate", "--sensor", "sim:matte-wall", "--json", "--export", folder.path("a.json"), "--consent-export"])
        try program.wait { $0.said.contains("coverage") }
        program.send(signal: signal)
        #expect(try program.finish() == status)
        let diagnostic = try object(program.text)
        #expect(diagnostic["completionStatus"] as? String == "cancelled")
        #expect((diagnostic["phases"] as? [[String: Any]])?.count == 1)
        #expect(try folder.read("a.json") == program.output)
    }

    /// Emulated firmware on a pseudo-terminal: what goes wrong, the status, the reason, and what the messages say.
    static let faults: [(fault: String, status: Int32, reason: String, says: String)] = [
        ("unplug-after=60000", 1, "unplugged", "sensor_disconnected"), ("silence-after=60", 1, "0.5 s", "stalled"),
        ("silence-after=1", 1, "within 5 s", "no_frames"), ("delay=3600", 1, "within 5 s", "no_frames"),
        ("extract-error=2", 1, "frame rate", "low_frame_rate"), ("wrong-rate", 1, "within 5 s", "no_frames"),
        ("refuse", 5, "reported an error", "refused the configuration"),
        ("not-detected", 5, "reported an error", "does not reach its sensor"),
    ]

    @Test("Each thing that goes wrong has its reason and what to do", arguments: faults)
    func faulty(fault: String, status: Int32, reason: String, says: String) throws {
        let emulator = try Emulator("--fault", fault)
        let finished = try run(
            ["validate", "--port", emulator.port, "--profile", "st-nucleo-vl53l8ch", "--shortened", "--json"], seconds: 60)
        #expect(finished.status == status, "\(finished.messages)")
        let diagnostic = try object(finished.output)
        #expect(diagnostic["completionStatus"] as? String == "failed")
        let sentence = try #require(diagnostic["failureReason"] as? String)
        #expect(sentence.contains(reason), "\(sentence)")
        #expect(diagnostic["usbPermission"] as? String == "granted")
        #expect(finished.messages.contains(says), "\(finished.messages)")
        #expect(finished.messages.contains("what to do") || finished.messages.contains("next: "))
        try isSilent(finished.output, about: [emulator.port])
        if fault != "unplug-after=60000" { _ = try emulator.stop() }
    }

    static let scenes: [(scene: String, reason: String?)] = [
        ("matte-wall", nil), ("hidden-target", nil), ("moving", nil), ("dark-wall", "low_coverage"),
    ]

    @Test("The simulated scenes come out as what they are", arguments: scenes)
    func scene(scene: String, reason: String?) throws {
        let finished = try run(["validate", "--sensor", "sim:\(scene)", "--shortened"], seconds: 60)
        #expect(finished.status == 1)
        #expect(finished.output.hasPrefix(reason.map { "failed: \($0)" } ?? "shortened: "), "\(finished.output.prefix(300))")
    }

    @Test("A recording that ends before the run does, and one that is none")
    func recordings() throws {
        let folder = try TemporaryFolder()
        let capture = try run(
            [
                "capture", "--sensor", "sim:matte-wall", "--zones", "4x4", "--bins", "8", "--start-bin", "0", "--subsample", "16", "--rate",
                "30", "--seconds", "2", "--record", folder.path("run.pcap"), "-o", "/dev/null", "--force",
            ] + labels)
        #expect(capture.status == 0)
        let finished = try run(["validate", "--sensor", "replay:\(folder.path("run.pcap"))", "--json"])
        #expect(finished.status == 1)
        let diagnostic = try object(finished.output)
        #expect(diagnostic["failureReason"] as? String == "The recording ended before the run did.")
        #expect(diagnostic["sensorModelFamily"] as? String == "VL53L8CH (SYNTHETIC)", "what was made up stays so")
        #expect(diagnostic["usbPermission"] as? String == "not_requested")
        let text = try folder.write("no capture", to: "x.pcap")
        for path in [text, folder.path("none.pcap")] {
            let none = try run(["validate", "--sensor", "replay:\(path)", "--json"])
            #expect(none.status == 1)
            #expect(try object(none.output)["failureReason"] as? String == "The sensor could not be opened.")
            try isSilent(none.output, about: [folder.url.path()])
        }
    }

    @Test("No such sensor: status 3, and a diagnostic that says so")
    func nothingThere() throws {
        for arguments in [["--sensor", "sim:nowhere"], ["--port", "/dev/no-such-port"], ["--sensor", "usb:9-9"]] {
            let finished = try run(["validate", "--json"] + arguments)
            #expect(finished.status == 3, "\(finished.messages)")
            let diagnostic = try object(finished.output)
            #expect(diagnostic["failureReason"] as? String == "No sensor was found.")
            #expect(diagnostic["sensorModelFamily"] as? String == "none")
            #expect((diagnostic["phases"] as? [Any])?.isEmpty == true)
            let plain = try run(["validate"] + arguments)
            #expect(plain.status == 3 && plain.output.isEmpty && plain.messages.contains("next: "))
        }
    }

    // MARK: Export

    @Test(
        "Both export options or neither, and nothing begins without them",
        arguments: [
            (["--export", "a.json"], "--consent-export"), (["--consent-export"], "--export FILE"),
            (["--export", "-", "--consent-export"], "--json"),
            (["--export"], "a new file"), (["--shortened=3"], "takes no value"), (["--expor", "x"], "did you mean '--export'"),
        ])
    func usage(arguments: [String], names: String) throws {
        let finished = try run(["validate", "--sensor", "sim:matte-wall"] + arguments)
        #expect(finished.status == 2)
        #expect(finished.output.isEmpty && finished.messages.contains(names), "\(finished.messages)")
        #expect(!finished.messages.contains("waiting"))
    }

    @Test("A file that is there is never replaced, and that is known before the run")
    func existing() throws {
        let folder = try TemporaryFolder()
        let old = try folder.write("old", to: "a.json")
        try FileManager.default.createSymbolicLink(atPath: folder.path("b.json"), withDestinationPath: folder.path("nowhere"))
        for path in [old, folder.path("b.json"), folder.path("no/c.json")] {
            let finished = try run(["validate"] + Self.quick + ["--export", path, "--consent-export"])
            #expect(finished.status == 1)
            #expect(finished.output.isEmpty && !finished.messages.contains("waiting"), "\(finished.messages)")
        }
        #expect(try String(decoding: folder.read("a.json"), as: UTF8.self) == "old")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).sorted() == ["a.json", "b.json"])
    }

    @Test("Standard output that nobody reads costs status 1, and not the file", arguments: [true, false], ["--json", "--plain"])
    func unread(isClosed: Bool, form: String) throws {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(
            ["validate", "--sensor", "sim:dark-wall", "--shortened", form, "--export", folder.path("a.json"), "--consent-export"],
            output: isClosed ? .closed : .pipe)
        if !isClosed { program.closeOutput() }
        #expect(try program.finish(seconds: 60) == 1)
        let diagnostic = try object(String(decoding: folder.read("a.json"), as: UTF8.self))
        #expect(diagnostic["completionStatus"] as? String == "failed")
        #expect(try mode(of: folder.path("a.json")) == 0o600)
        #expect(program.said.contains("readable by you only"), "\(program.said)")
    }

    @Test("A full disk under standard output is named, and costs not the file")
    func fullOutput() throws {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(
            ["validate"] + Self.quick + ["--export", folder.path("a.json"), "--consent-export"], output: .file("/dev/full"))
        #expect(try program.finish(seconds: 60) == 1)
        #expect(program.said.contains("standard output: cannot write"), "\(program.said)")
        #expect(try object(String(decoding: folder.read("a.json"), as: UTF8.self))["completionStatus"] as? String == "cancelled")
    }

    @Test("A file that appears during the run is not replaced either")
    func appearing() throws {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(["validate"] + Self.quick + ["--export", folder.path("a.json"), "--consent-export"])
        try program.wait { $0.said.contains("coverage") }
        _ = try folder.write("other", to: "a.json")
        #expect(try program.finish(seconds: 60) == 1)
        #expect(program.said.contains("never replaced"))
        #expect(try String(decoding: folder.read("a.json"), as: UTF8.self) == "other")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["a.json"])
    }

    @Test(
        "Whatever the umask, and on a full disk, the file is its owner's and whole, or not there",
        arguments: [
            ("umask 0; exec \"$0\" \"$@\"", true), ("umask 277; exec \"$0\" \"$@\"", true), ("ulimit -f 0; exec \"$0\" \"$@\"", false),
        ])
    func hostile(wrapper: String, isWritten: Bool) throws {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(
            ["validate", "--sensor", "sim:matte-wall", "--export", folder.path("a.json"), "--consent-export"],
            through: ["/bin/sh", "-c", wrapper])
        try program.wait { $0.said.contains("coverage") }
        program.send(signal: SIGINT)
        #expect(try program.finish() == 130)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path())
        #expect(names == (isWritten ? ["a.json"] : []))
        if isWritten { #expect(try mode(of: folder.path("a.json")) == 0o600) }
        #expect(program.said.contains(isWritten ? "readable by you only" : "cannot write"), "\(program.said)")
        #expect(program.text.contains(#""completionStatus": "cancelled""#), "it is shown before it is written")
    }
}
