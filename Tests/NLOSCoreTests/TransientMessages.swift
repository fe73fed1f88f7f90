import Foundation

/// Messages to break in one place at a time.
enum TransientMessages {
    /// A live frame of two zones with eight bins that keeps every rule.
    static let live = message(zones: [zone(0), zone(1)])

    static func zone(_ id: Int, distance: String = "1.5", histogram: [Int] = [0, 1, 12, 345, 6789, 65535, 3, 2]) -> String {
        let bins = histogram.map { "\($0)" }.joined(separator: ",")
        return #"{"zoneId":\#(id),"wallPointM":{"x":-0.1,"y":0.25,"z":1.5},"distanceM":\#(distance),"ambient":4294967295,"#
            + #""histogram":[\#(bins)]}"#
    }

    static func message(zones: [String]) -> String {
        #"{"schema":"ruview.nlos.transient.v1","sessionId":"lab-run-001","sequence":7,"capturedAtUnixMs":1799999999960,"#
            + #""monotonicNs":18446744073709551615,"source":"live","evidenceLevel":"l1_measured","binWidthPs":250,"startBin":18,"#
            + #""sensorPose":{"translationM":{"x":0,"y":0.5,"z":-1.25},"quaternionXyzw":[0,0,0,1]},"calibrationHash":""#
            + String(repeating: "0", count: 64)
            + #"","provenance":{"sensorId":"st-kit-001","sensorModel":"VL53L8CH","firmwareVersion":"15314de","#
            + #""transientKind":"compact_normalized_histogram","histogramPreserved":true,"transport":"usb_serial"},"zones":["#
            + zones.joined(separator: ",") + "]}"
    }
}

extension String {
    /// The text with the passage's first occurrence replaced; a passage that is not there is a mistake in the test.
    func replacingFirst(_ passage: String, with replacement: String) -> String {
        guard let place = range(of: passage) else { fatalError("'\(passage)' is not in the message") }
        return replacingCharacters(in: place, with: replacement)
    }
}
