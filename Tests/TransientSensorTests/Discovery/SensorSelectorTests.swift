import Testing

@testable import TransientSensor

@Suite struct SensorSelectorTests {
    @Test(arguments: ["usb:1-4.2", "usb:1-4", "usb:12-1.2.3.4.5.6.7", "066EFF37", "sim:matte-wall", "replay:a file.pcap", "replay:sim:x"])
    func printsBackToItsText(text: String) { #expect(SensorSelector(text)?.description == text) }

    @Test(arguments: [
        "", "usb:", "usb:1", "usb:1-", "usb:-4", "usb:1-4.", "usb:1-.4", "usb:1-4:1.0", "usb:usb1", "usb:+1-4", "usb:1--4", "usb:0-1",
        "usb:1-0", "usb:1-256", "usb:1-1.1.1.1.1.1.1.1", "usb:1 -4", "usb:99999999999999999999-1", "sim:", "replay:",
        "/dev/ttyACM0", "tty:/dev/ttyACM0",
    ])
    func isNoSelector(text: String) { #expect(SensorSelector(text) == nil) }

    private let boards: [AttachedSensor] = [
        .made(of: .nucleo("1-1", serial: "066EFF37")), .made(of: .nucleo("1-2", serial: "066EFF3735")),
        .made(of: .nucleo("1-3", serial: "0670AA")), .made(of: .nucleo("1-10", serial: "SAME")), .made(of: .nucleo("2-1", serial: "SAME")),
        .made(of: .nucleo("2-2", serial: "")),
    ]

    @Test(arguments: [
        ("usb:1-10", "usb:1-10"), ("usb:2-2", "usb:2-2"), ("0670", "usb:1-3"), ("0670aa", "usb:1-3"), ("066EFF37", "usb:1-1"),
        ("066EFF373", "usb:1-2"),
    ])
    func picks(text: String, path: String) throws {
        #expect(try #require(SensorSelector(text)).pick(from: boards).path == path)
    }

    @Test(arguments: [
        ("06", ["usb:1-1", "usb:1-2", "usb:1-3"]), ("066EFF", ["usb:1-1", "usb:1-2"]), ("SAME", ["usb:1-10", "usb:2-1"]),
    ])
    func refusesSeveral(text: String, paths: [String]) throws {
        let selector = try #require(SensorSelector(text))
        #expect(throws: SensorError.several(paths: paths)) { try selector.pick(from: boards) }
    }

    @Test(arguments: ["usb:3-1", "0671", "066EFF37350", "sim:matte-wall", "replay:x"]) func findsNothing(text: String) throws {
        let selector = try #require(SensorSelector(text))
        #expect(throws: SensorError.notFound(selector: text)) { try selector.pick(from: boards) }
    }

    @Test func withoutASelectorOnlyBoardsWithAProfileCount() throws {
        var stranger = DeviceFacts.nucleo("1-9")
        stranger.productId = 0x5740
        let other = AttachedSensor.made(of: stranger)
        #expect(try SensorSelector.pickOnly(from: [other, boards[0]]) == boards[0])
        #expect(throws: SensorError.notFound(selector: nil)) { try SensorSelector.pickOnly(from: []) }
        // It may be anything, and opening it may start it anew: it has to be named.
        #expect(throws: SensorError.unknownFirmware(path: "usb:1-9", board: other.board)) { try SensorSelector.pickOnly(from: [other]) }
        #expect(throws: SensorError.several(paths: ["usb:1-1", "usb:1-2"])) { try SensorSelector.pickOnly(from: Array(boards[...1])) }
    }

    @Test func pathsSortByNumber() {
        let paths = ["2-1", "1-10", "1-2.1", "1-2"].compactMap { BusPath($0) }
        #expect(paths.sorted().map(\.description) == ["1-2", "1-2.1", "1-10", "2-1"])
    }
}
