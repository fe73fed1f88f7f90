import CLinux
import Foundation
import Testing

/// A folder of its own for one test, removed with it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "nlos-program-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    /// Writes a file and returns its path.
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: url.appending(path: name))
        return path(name)
    }

    func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }

    func read(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }
}

/// Arguments that `capture` cannot do without.
let labels = ["--session", "t", "--sensor-id", "s", "--fixed-sensor"]

/// One JSON object; a failed test where it is none.
func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
}

func object(_ bytes: Data) throws -> [String: Any] { try object(String(decoding: bytes, as: UTF8.self)) }

/// The lower-case SHA-256 that coreutils computes.
func sha256(ofFile path: String) throws -> String {
    let program = try RunningProgram([path], of: "/usr/bin/sha256sum")
    #expect(try program.finish() == 0)
    return String(program.text.prefix(64))
}

/// A transient line by hand: 16 zones of 8 bins, and what the test wants to be different.
struct TransientLine {
    var sessionId = "hand"
    var sequence: UInt64 = 0
    var monotonicNs: UInt64 = 1_000
    var source = "live"
    var level = "l1_measured"
    var kind = "compact_normalized_histogram"
    var transport = "usb_serial"
    var hash = String(repeating: "0", count: 64)
    var bins = 8
    /// Members that stand before the others, with their comma.
    var extra = ""

    var text: String {
        let zones = (0..<16).map { zone in
            #"{"zoneId":\#(zone),"wallPointM":{"x":0,"y":0.25,"z":1},"distanceM":1,"ambient":2,"histogram":["#
                + (0..<bins).map { "\(zone * bins + $0)" }.joined(separator: ",") + "]}"
        }
        return #"{\#(extra)"schema":"ruview.nlos.transient.v1","sessionId":"\#(sessionId)","sequence":\#(sequence),"#
            + #""capturedAtUnixMs":1700000000000,"monotonicNs":\#(monotonicNs),"source":"\#(source)","evidenceLevel":"\#(level)","#
            + #""binWidthPs":250,"startBin":30,"sensorPose":{"translationM":{"x":0,"y":0,"z":0},"quaternionXyzw":[0,0,0,1]},"#
            + #""calibrationHash":"\#(hash)","provenance":{"sensorId":"s","sensorModel":"VL53L8CH","firmwareVersion":"f","#
            + #""transientKind":"\#(kind)","histogramPreserved":true,"transport":"\#(transport)"},"zones":["#
            + zones.joined(separator: ",") + "]}"
    }

    /// Lines that follow each other, a millisecond apart.
    func run(of count: Int, everyNs: UInt64 = 1_000_000) -> String {
        var line = self
        var text = ""
        for index in 0..<UInt64(count) {
            line.sequence = sequence + index
            line.monotonicNs = monotonicNs + index * everyNs
            text += line.text + "\n"
        }
        return text
    }
}

/// A file of `/proc`, whole: its size says 0, and what reads by size stops early. Nil where it may not be read; `errno` says why.
func bytes(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &piece, piece.count)
        if count < 0 { return nil }
        if count == 0 { return all }
        all += piece[..<count]
    }
}
