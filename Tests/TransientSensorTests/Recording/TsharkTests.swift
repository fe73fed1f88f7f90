import Foundation
import NLOSCore
import Testing

@testable import TransientSensor

private let tshark = "/usr/bin/tshark"

/// Wireshark's own reading of a recording: each line is a packet, each column a field that was asked for.
private func dissect(_ file: String, fields: [String]) throws -> [[String]] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tshark)
    process.arguments = ["-r", file, "-T", "fields"] + fields.flatMap { ["-e", $0] }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
}

@Suite(.enabled(if: access(tshark, X_OK) == 0, "needs tshark (apt-get install tshark)"))
struct TsharkTests {
    @Test func wiresharkReadsTheRecording() throws {
        let folder = try Folder()
        let hand = HandClock()
        var recorder = try PcapRecorder(file: folder.file("run.pcap"), device: .nucleo, origin: .live, clocks: hand.clocks)
        recorder.sent([0xaa, 0xbb])
        hand.pass(ms: 1500)
        recorder.received("D\n", at: .now(hand.clocks))
        recorder.received("", at: .now(hand.clocks))
        _ = recorder.finish()

        let packets = try dissect(
            folder.file("run.pcap"),
            fields: [
                "frame.time_epoch", "usb.bus_id", "usb.device_address", "usb.endpoint_address", "usb.transfer_type", "usb.urb_type",
                "usb.urb_status", "usb.urb_len", "usb.data_len",
            ])
        #expect(
            packets == [
                ["1700000000.000000000", "1", "7", "0x80", "0x02", "'S'", "-115", "18", "0"],
                ["1700000000.000000000", "1", "7", "0x80", "0x02", "'C'", "0", "18", "18"],
                ["1700000000.000000000", "1", "7", "0x02", "0x03", "'S'", "-115", "2", "2"],
                ["1700000001.500000000", "1", "7", "0x82", "0x03", "'C'", "0", "2", "2"],
                ["1700000001.500000000", "1", "7", "0x82", "0x03", "'C'", "-75", "0", "0"],
            ])
        let ids = try dissect(folder.file("run.pcap"), fields: ["usb.idVendor", "usb.idProduct", "usb.bDescriptorType", "_ws.malformed"])
        #expect(ids[1] == ["0x0483", "0x374b", "0x01", ""])
        #expect(ids.allSatisfy { $0[3].isEmpty })
        let payloads = try dissect(folder.file("run.pcap"), fields: ["usb.capdata"])
        #expect(payloads.map { $0.first ?? "" }.filter { !$0.isEmpty } == ["aabb", "440a"])
    }
}
