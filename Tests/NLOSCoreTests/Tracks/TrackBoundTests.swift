import NLOSCore
import Testing

/// The tracks of a message: a row on each side of every bound.
@Suite struct TrackBoundTests {
    private static let vectorRows: [(path: String, good: [String], bad: [String])] = [
        (
            "positionM",
            ["0", "-0", "-0.0", "100", "-100", "1e2", "99.99999999999999", "1e-400", "1e-99999999999999999999", "100.00000000000000001"],
            ["100.0000000000001", "100.00000001", "-100.00000000000002", "101", "1e39", "1e308", "-1e308"]
        ),
        ("velocityMps", ["0", "20", "-20", "2e1", "20.000000000000000001"], ["20.000000000000004", "20.001", "-20.001", "-1e300"]),
        (
            "covarianceDiagonalM2", ["0", "-0.0", "10", "1e1", "5e-324"],
            ["10.0000001", "10.000000000000002", "-0.001", "-5e-324", "-1e-300", "11"]
        ),
    ]

    @Test(arguments: vectorRows, ["x", "y", "z"])
    func vectors(row: (path: String, good: [String], bad: [String]), axis: String) {
        func verdict(_ value: String) -> Rejection? {
            let parts = ["x", "y", "z"].map { "\"\($0)\":\($0 == axis ? value : "0.5")" }
            return trackVerdict([row.path: "{\(parts.joined(separator: ","))}"])
        }
        for value in row.good { #expect(verdict(value) == nil, "\(value)") }
        for value in row.bad { #expect(verdict(value) == .invalidField("tracks.\(row.path)"), "\(value)") }
        for value in Self.malformedNumbers { #expect(verdict(value) == .malformed, "\(value)") }
    }

    private static let malformedNumbers = [
        "1e309", "-1e309", "1e400", "1e99999999999999999999", "NaN", "nan", "Infinity", "-Infinity", "\"Infinity\"", "1.", ".5", "+1", "01",
        "-01",
        "1e", "1e+", "1e1.5", "0x1p3", "1_0", "-", "--1", "1,5", "\"1\"", "null", "true", "[1]", "", "1 2", "00.5", "1e5e5",
    ]

    @Test(arguments: ["confidence", "signalQuality"])
    func shares(path: String) {
        for value in ["0", "1", "-0.0", "1e0", "0.5", "1.0000000000000000001", "-1e-400"] {
            #expect(trackVerdict([path: value]) == nil, "\(value)")
        }
        for value in ["1.0000000000000002", "1.01", "2", "-0.01", "-1e-300", "-5e-324", "1e300"] {
            #expect(trackVerdict([path: value]) == .invalidField("tracks.\(path)"), "\(value)")
        }
        for value in Self.malformedNumbers { #expect(trackVerdict([path: value]) == .malformed, "\(value)") }
    }

    @Test func entropy() {
        for value in ["0", "-0.0", "1e308", "1e39", "1.7976931348623157e308"] {
            #expect(trackVerdict(["posteriorEntropy": value]) == nil, "\(value)")
        }
        for value in ["-1e-300", "-0.5", "-1e308"] {
            #expect(trackVerdict(["posteriorEntropy": value]) == .invalidField("tracks.posteriorEntropy"), "\(value)")
        }
        for value in Self.malformedNumbers { #expect(trackVerdict(["posteriorEntropy": value]) == .malformed, "\(value)") }
    }

    @Test(
        "contributions are judged on the decimals that are spelled",
        arguments: [
            ("0.7", "0.3", true), ("1", "0", true), ("0", "1", true), ("0.5", "0.499", true), ("0.2", "0.799", true),
            ("0.3", "0.699", true),
            ("0.1", "0.899", true), ("0.7", "0.301", true), ("0.001", "1", true), ("0.6", "0.401", true), ("5e-1", "501e-3", true),
            ("0.333", "0.6660", true), ("0.999", "0", true), ("0", "0.999000000000000000", true), ("0.0009999999999999999", "1", true),
            ("0.3", "0.698999999999999999", false), ("0.5", "0.4989999999999999", false), ("0.7", "0.301000000000000001", false),
            ("0.001000000000000001", "1", false), ("0.7", "0.3011", false), ("0.2", "0.7989", false), ("0.5", "0.4", false),
            ("1.001", "0", false), ("0", "1.001", false), ("1", "1", false), ("0", "0", false), ("-0.1", "1.1", false),
            ("1.1", "-0.1", false),
            // Beyond 18 places doubles decide.
            ("0.33333333333333333333", "0.66666666666666666667", true), ("0.33333333333333333333", "0.6667", true),
            ("0.33333333333333333333", "0.66", false), ("1e-400", "1", true), ("1e-30", "0.999", true),
            ("1.00000000000000000000001", "0", true),
        ])
    func contributions(lidar: String, csi: String, accepted: Bool) {
        let verdict = trackVerdict(["modalityContributions": "{\"lidar\":\(lidar),\"csi\":\(csi)}"])
        #expect(verdict == (accepted ? nil : .invalidField("tracks.modalityContributions")))
    }

    @Test(
        arguments: [(0, nil), (1, nil), (15, nil), (16, nil), (17, .invalidField("tracks")), (600, .invalidField("tracks"))]
            as [(Int, Rejection?)])
    func howMany(count: Int, verdict: Rejection?) { #expect(trackVerdict(["tracks": TrackFields.tracks(count)]) == verdict) }

    @Test func howManyComesBeforeWhatTheyAre() {
        let bad = TrackFields(["trackId": #""""#]).track
        #expect(trackVerdict(["tracks": "[" + Array(repeating: bad, count: 17).joined(separator: ",") + "]"]) == .invalidField("tracks"))
        // And shape before both: the last one is not a track.
        let torn = "[" + Array(repeating: bad, count: 17).joined(separator: ",") + ",{}]"
        #expect(trackVerdict(["tracks": torn]) == .malformed)
    }

    @Test(
        arguments: [
            (#""a""#, #""b""#, nil), (#""a""#, #""A""#, nil), (#""a""#, #""a""#, .invalidField("tracks.trackId")),
            (#""a""#, #""\u0061""#, .invalidField("tracks.trackId")),
        ] as [(String, String, Rejection?)])
    func namesAreUnique(first: String, second: String, verdict: Rejection?) {
        let tracks = [first, second].map { TrackFields(["trackId": $0]).track }.joined(separator: ",")
        #expect(trackVerdict(["tracks": "[\(tracks)]"]) == verdict)
    }

    @Test func namesAreUniqueToTheLastOfSixteen() {
        var tracks = (0..<15).map { TrackFields(["trackId": "\"track-\($0)\""]).track }
        tracks.append(TrackFields(["trackId": #""track-0""#]).track)
        #expect(trackVerdict(["tracks": "[\(tracks.joined(separator: ","))]"]) == .invalidField("tracks.trackId"))
    }

    @Test(arguments: [
        "null", "{}", "[null]", "[1]", "[[]]", "[{}]", #"["a"]"#, "[,]", "1", #""""#, "[", "",
    ])
    func whatIsNoListOfTracks(value: String) { #expect(trackVerdict(["tracks": value]) == .malformed) }

    @Test(arguments: [
        "[1,2,3]", "{}", "null", #"{"x":0,"y":0}"#, #"{"x":0,"y":0,"z":0,"w":0}"#, #"{"x":0,"y":0,"x":0}"#, #"{"x":0,"y":0,"z":[0]}"#,
    ])
    func whatIsNoVector(value: String) {
        for path in ["positionM", "velocityMps", "covarianceDiagonalM2"] { #expect(trackVerdict([path: value]) == .malformed) }
    }

    @Test(arguments: [
        "[0.7,0.3]", "{}", "null", #"{"lidar":1}"#, #"{"csi":1}"#, #"{"lidar":0.5,"csi":0.5,"radar":0}"#, #"{"lidar":1,"lidar":0}"#,
    ])
    func whatIsNoContributions(value: String) { #expect(trackVerdict(["modalityContributions": value]) == .malformed) }
}
