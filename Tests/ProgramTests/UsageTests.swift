import Foundation
import Testing

/// What is typed wrongly ends with status 2, a sentence that names it and the nearest right thing, and nothing on standard output.
@Suite struct UsageTests {
    struct Row: CustomTestStringConvertible {
        let arguments: [String]
        /// The whole first line after the program's name.
        let message: String
        let status: Int32
        init(_ line: String, _ message: String, status: Int32 = 2) {
            arguments = line.split(separator: " ").map(String.init)
            self.message = message
            self.status = status
        }
        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let capture = "capture --session t --sensor-id s --fixed-sensor"

    private static let monitor = "monitor wss://ruview.example/api/v1/nlos/ws"

    static let rows: [Row] = [
        Row("prob", "unknown command 'prob'; did you mean 'probe'?"),
        Row("xyz", "unknown command 'xyz'; see nlos-bridge --help"),
        Row("--verison", "unknown option '--verison'; did you mean '--version'?"),
        Row("probe --jsno", "unknown option '--jsno'; did you mean '--json'?"),
        Row("probe --banana", "unknown option '--banana'; see nlos-bridge probe --help"),
        Row("probe --open --watch", "'--open' and '--watch' exclude each other"),
        Row("probe --watch --sensor sim:moving", "'--watch' follows every board and takes no '--sensor' or '--port'"),
        Row("probe --json=yes", "'--json' takes no value"),
        Row("probe x", "probe does not take 'x'; see nlos-bridge probe --help"),
        Row("probe --sensor sim:moving --port /dev/ttyS0", "'--sensor' and '--port' exclude each other"),
        Row("probe --sensor", "'--sensor' needs a sensor, as in --sensor usb:1-4.2 or --sensor sim:matte-wall"),
        Row("probe --port=", "'--port' needs a serial port, as in --port /dev/ttyUSB0"),
        Row(
            "probe --sensor usb:x",
            "'--sensor' takes usb:BUS-PORTS, a serial number, sim:NAME or replay:FILE, not 'usb:x'"),
        Row("probe --profile st-nucleo-vl53l8c", "unknown profile 'st-nucleo-vl53l8c'; did you mean 'st-nucleo-vl53l8ch'?"),
        Row("capture --sensor-id s --fixed-sensor", "capture needs '--session LABEL': the name of this capture session"),
        Row("capture --session t --fixed-sensor", "capture needs '--sensor-id LABEL': the name of this sensor in your set-up"),
        Row(
            "capture --session t --sensor-id s",
            "capture needs '--fixed-sensor' or '--pose-jsonl FILE': where the sensor is cannot be guessed"),
        Row("capture --session t --session u", "'--session' is given twice"),
        Row("capture --session --fixed-sensor", "'--session' needs a label, as in --session lab-1"),
        Row("\(capture) --pose-jsonl p", "'--pose-jsonl' and '--fixed-sensor' exclude each other"),
        Row("\(capture) --frames 1 --seconds 1", "'--frames' and '--seconds' exclude each other"),
        Row("\(capture) --frames 0", "'--frames' needs a whole number from 1 to 1000000000, not '0'"),
        Row("\(capture) --frames -1", "'--frames' needs a number of frames, as in --frames 100"),
        Row("\(capture) --frames 1.5", "'--frames' needs a whole number from 1 to 1000000000, not '1.5'"),
        Row("\(capture) --seconds nan", "'--seconds' needs a number of seconds above 0, not 'nan'"),
        Row("\(capture) --seconds 0", "'--seconds' needs a number of seconds above 0, not '0'"),
        Row("\(capture) --record -", "'--record' takes the name of a file; standard output is for the frames"),
        Row("replay --summary-json - x", "'--summary-json' takes the name of a file; standard output is for the frames"),
        Row("\(capture) --zones 5x5", "'--zones' takes 4x4 or 8x8, not '5x5'"),
        Row(
            "\(capture) --no-configure",
            "'--no-configure' needs --zones, --bins, --start-bin and --subsample to say what the board runs"),
        Row(
            "\(capture) --no-configure --zones 8x8",
            "'--no-configure' needs '--bins' too: nothing in the stream says it"),
        Row("\(capture) --frame 1", "unknown option '--frame'; did you mean '--frames'?"),
        Row("\(capture) extra", "capture does not take 'extra'; see nlos-bridge capture --help"),
        Row("replay", "replay needs FILE; see nlos-bridge replay --help"),
        Row("replay a b", "replay does not take 'b'; see nlos-bridge replay --help"),
        Row("check --as transient", "check needs FILE...; see nlos-bridge check --help"),
        Row("check --as transiet x", "unknown kind of message 'transiet'; did you mean 'transient'?"),
        Row("check --as transient --one --sequence x", "'--one' and '--sequence' exclude each other"),
        Row("monitor", "monitor needs URL; see nlos-bridge monitor --help"),
        Row("\(monitor) --json --plain", "'--json' and '--plain' exclude each other"),
        Row("\(monitor) --sensor sim:matte-wall", "'--sensor' is for a local sensor; add '--paired'"),
        Row("\(monitor) --sensor-id bench", "'--sensor-id' is for a local sensor; add '--paired'"),
        Row("\(monitor) --ca-file /no/such/file", "'--ca-file' cannot open /no/such/file: No such file or directory"),
        Row("\(monitor) --pin-sha256 abc", "'--pin-sha256' takes 64 hexadecimal digits or 44 characters of base64, not 'abc'"),
        Row("\(monitor) --reconect", "unknown option; did you mean '--reconnect'?"),
        Row("\(monitor) --seconds 0", "'--seconds' needs a number of seconds above 0, not '0'"),
        Row(
            "\(monitor) no-secret-of-anybody",
            "monitor takes one URL and its options; a token is stored with nlos-bridge pair URL, and never typed here"),
        Row("monitor ws://ruview.example/api/v1/nlos/ws", "the server's address does not begin with wss://, and nothing else is encrypted"),
        Row(
            "monitor wss://ruview.example/api/v1/nlos/ws?token=no-secret-of-anybody",
            "the server's address has a part behind '?'; a token must not stand in an address, where logs keep it"),
        Row("emulate", "emulate needs '--pty' or '--tty PATH'"),
        Row("emulate --pty --tty /dev/ttyS0", "'--pty' and '--tty' exclude each other"),
        Row("emulate --pty --scene mate-wall", "unknown scene 'mate-wall'; did you mean 'matte-wall'?"),
        Row("emulate --pty --fault byte-los", "unknown fault 'byte-los'; did you mean 'byte-loss'?"),
        Row("emulate --pty --fault unplug-after", "fault 'unplug-after' needs a value: unplug-after=BYTES"),
        Row("emulate --pty --fault byte-loss=2", "fault 'byte-loss' does not take '2': byte-loss[=P], a byte vanishes with probability P"),
        Row("emulate --pty --seed x", "'--seed' needs a whole number from 0 to 9223372036854775807, not 'x'"),
        Row(
            "\(capture) --sensor /dev/ttyACM0",
            "'--sensor' takes usb:BUS-PORTS, a serial number, sim:NAME or replay:FILE, not '/dev/ttyACM0'"),
        // Not the command line's fault, and told apart by the status.
        Row("\(capture) --sensor sim:nothing", "no simulated sensor is called 'nothing'", status: 3),
        Row("\(capture) --port /dev/no-such-port", "/dev/no-such-port: there is no such port", status: 3),
        Row("\(capture) --port no-such-port", "no-such-port: there is no such port", status: 3),
        Row("\(capture) --sensor usb:99-9", "no sensor matches 'usb:99-9'", status: 3),
        Row("\(capture) --port /dev/null", "tty:/dev/null: this is no serial port", status: 5),
        Row("emulate --tty /dev/null", "/dev/null: cannot use as a tty: Inappropriate ioctl for device", status: 5),
        Row("replay no-such-file", "no-such-file: cannot open: No such file or directory", status: 1),
        Row("check --as transient no-such-file", "no-such-file: cannot open: No such file or directory", status: 1),
    ]

    @Test(arguments: rows) func aMistakeIsNamed(row: Row) throws {
        let finished = try run(row.arguments)
        #expect(finished.status == row.status)
        // Where no udev runs, a listing says so first.
        let said = finished.messages.split(separator: "\n").filter { !$0.contains("no udev runs here") }
        #expect(said.first == "nlos-bridge: \(row.message)")
        if row.status == 2 { #expect(finished.output.isEmpty) }
        #expect(!finished.messages.contains("no-secret-of-anybody"))
    }

    struct Impossible: CustomTestStringConvertible {
        let settings: String
        let sentence: String
        let nearest: [String]
        var testDescription: String { settings }
    }

    static let impossible: [Impossible] = [
        Impossible(
            settings: "--zones 8x8 --rate 30", sentence: "a rate of 30 Hz: with 64 zones the sensor ranges at 1 to 15 Hz",
            nearest: ["--zones 8x8 --bins 18 --start-bin 30 --subsample 1 --rate 15", "--zones 4x4 --bins 48"]),
        Impossible(
            settings: "--zones 8x8 --bins 48 --rate 15", sentence: "of the sensor's memory, which has 6160 for histograms",
            nearest: ["--zones 8x8 --bins 18", "--zones 4x4 --bins 48"]),
        Impossible(settings: "--bins 500", sentence: "500 bins: a transient frame has 8 to 128", nearest: ["--zones 4x4 --bins 75"]),
        Impossible(
            settings: "--start-bin 100", sentence: "48 bins of 1 from physical bin 100 end at 148, and the sensor has 128",
            nearest: ["--start-bin 80", "--bins 28"]),
        Impossible(
            settings: "--integration-ms 200", sentence: "an integration of 200 ms does not fit the period of 33.3 ms at 30 Hz",
            nearest: ["--rate 30 --integration-ms 33", "--rate 5 --integration-ms 200"]),
        Impossible(settings: "--subsample 0", sentence: "the sensor adds up 1 to 16 physical bins", nearest: ["--subsample 1"]),
        Impossible(settings: "--rate 0", sentence: "a rate of 0 Hz", nearest: ["--rate 1"]),
    ]

    /// Nothing reaches the board: it would otherwise have heard of a configuration that it cannot have.
    @Test(arguments: impossible) func impossibleSettingsAreRefusedWithWhatIsPossible(row: Impossible) throws {
        let board = try Terminal()
        let finished = try run(["capture", "--port", board.node] + labels + row.settings.split(separator: " ").map(String.init))
        #expect(finished.status == 2)
        #expect(finished.messages.contains(row.sentence))
        let proposals = finished.messages.split(separator: "\n").dropFirst()
        #expect(proposals.count == row.nearest.count, "\(finished.messages)")
        for (proposal, nearest) in zip(proposals, row.nearest) { #expect(proposal.contains(nearest)) }
        #expect(board.shown().isEmpty)
    }

    @Test func aProposalCanBeTypedAsItStands() throws {
        let refused = try run(["capture", "--sensor", "sim:matte-wall"] + labels + ["--zones", "8x8", "--rate", "60"])
        let proposal = try #require(refused.messages.split(separator: "\n").dropFirst().first?.split(separator: "--", maxSplits: 1).last)
        let settings = "--\(proposal)".split(separator: " ").map(String.init)
        let finished = try run(["capture", "--sensor", "sim:matte-wall", "--frames", "1"] + labels + settings)
        #expect(finished.status == 0)
    }

    @Test(arguments: [[], ["probe"], ["capture"], ["replay"], ["monitor"], ["check"], ["emulate"]]) func helpAtEveryLevel(command: [String])
        throws
    {
        for help in ["-h", "--help"] {
            let finished = try run(command + [help])
            #expect(finished.status == 0)
            #expect(finished.messages.isEmpty)
            #expect(finished.output.hasPrefix("usage: nlos-bridge \(command.first ?? "COMMAND")"))
            for line in finished.lines { #expect(line.utf8.count <= 80, "\(line)") }
        }
        // Help helps also beside a mistake that it would explain.
        #expect(try run(command + ["--help", "more"]).status == 0)
    }

    @Test func noCommandAtAllIsAMistakeWithTheWholeHelp() throws {
        let finished = try run([])
        #expect(finished.status == 2)
        #expect(finished.output.isEmpty)
        #expect(finished.messages.hasPrefix("usage: nlos-bridge COMMAND"))
    }

    @Test func theVersionIsOneLine() throws {
        let finished = try run(["--version"])
        #expect(finished.status == 0)
        #expect(finished.lines.count == 1)
        #expect(finished.output.wholeMatch(of: /nlos-bridge \d+\.\d+\.\d+\n/) != nil)
    }
}
