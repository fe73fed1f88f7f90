/// A sentence for the person who holds the sensor.
public struct Advice: Equatable, Sendable {
    public let text: String
    /// Something has to change; otherwise it is just what to do now.
    public let isWarning: Bool

    private init(_ text: String, isWarning: Bool = true) {
        self.text = text
        self.isWarning = isWarning
    }

    static let waiting = Advice("waiting for the first frame of the sensor", isWarning: false)
    static let silent = Advice("no frame for half a second: check the cable and the hub")
    static let noWall = Advice("this is not one flat wall: turn to a plain part of it")
    static let tooNear = Advice("too near: move back to about a metre")
    static let tooFar = Advice("too far: move closer, to one or two metres")
    static let frozen = Advice("the sensor sends old frames again: its line or its firmware does not keep up")
    static let hot = Advice("the sensor is hot: stop with Ctrl-C and let it cool for 5 to 10 minutes")

    static func lowCoverage(_ coverage: Double) -> Advice {
        coverage > 0
            ? Advice("only \(percent(coverage)) of the zones see something: face a matte wall, at about a metre")
            : Advice("no zone has a distance: take the cap or film off and face a matte wall, at about a metre")
    }

    static func tooFast(_ mps: Double) -> Advice { Advice("too fast: \(figure(mps, decimals: 2)) m/s") }
    static func holdStill(_ mps: Double) -> Advice { Advice("hold still: moving at \(figure(mps, decimals: 2)) m/s") }
    static func tilted(_ degrees: Double) -> Advice { Advice("face the wall: tilted by \(figure(degrees)) degrees") }

    static func slow(_ fps: Double, _ attainable: Double) -> Advice {
        Advice("only \(figure(fps, decimals: 1)) of \(figure(attainable, decimals: 1)) frames a second: a busy hub or host")
    }

    static func phase(_ phase: Phase) -> Advice {
        switch phase {
        case .calibration: Advice("hold the sensor still, facing the wall", isWarning: false)
        case .wallScan: Advice("keep the wall in view and move slowly, 5 to 15 cm a second", isWarning: false)
        }
    }
}
