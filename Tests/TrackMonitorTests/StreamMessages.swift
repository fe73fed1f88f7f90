@testable import TrackMonitor

/// Messages of a server, as text.
enum StreamMessages {
    static func authenticated(session: String = "lab-run-001", expires: UInt64) -> [UInt8] {
        Array(#"{"schema":"ruview.nlos.authenticated.v1","sessionId":"\#(session)","expiresAtUnixMs":\#(expires)}"#.utf8)
    }

    static func frame(_ sequence: Int, session: String = "lab-run-001", captured: UInt64, lifetimeMs: UInt64 = 1_000) -> [UInt8] {
        let vector = #"{"x":1.5,"y":0.25,"z":-2}"#
        let track =
            #"{"trackId":"t1","state":"tracking","positionM":\#(vector),"velocityMps":\#(vector),"covarianceDiagonalM2":{"x":0.1,"y":0.1,"z":0.1},"#
            + #""confidence":0.75,"signalQuality":0.5,"posteriorEntropy":1.25,"modalityContributions":{"lidar":0.75,"csi":0.25}}"#
        let provenance =
            #"{"sensorId":"s1","sensorModel":"vl53l8ch","firmwareVersion":"1.0","transientKind":"compact_normalized_histogram","#
            + #""histogramPreserved":true,"transport":"ruview_server"}"#
        return Array(
            (#"{"schema":"ruview.nlos.track.v1","sessionId":"\#(session)","sequence":\#(sequence),"capturedAtUnixMs":\#(captured),"#
                + #""expiresAtUnixMs":\#(captured + lifetimeMs),"source":"live","evidenceLevel":"l1_measured","algorithmVersion":"a1","#
                + #""calibrationHash":"\#(String(repeating: "0", count: 64))","provenance":\#(provenance),"tracks":[\#(track)]}"#).utf8)
    }
}
