import DepthValidation
import NLOSCore

/// A moment of a run as one line, for everything that is no screen.
enum ValidationLine {
    /// At most `width` cells: the figures that matter least are left away first.
    static func text(of state: LiveState, _ subject: ValidationSubject, width: Int) -> String {
        var line = (subject.marks.map { "\($0) " }.joined() + stage(state))
        for figure in figures(state) where line.utf8.count + 2 + figure.utf8.count <= width { line += ", \(figure)" }
        return String(line.prefix(max(1, width)))
    }

    private static func stage(_ state: LiveState) -> String {
        switch state.stage {
        case .waiting: "waiting for the first frame"
        case .phase(let phase): "\(phase.words) \(decimal(state.secondsLeft.rounded(.up), places: 0)) s left"
        case .over: "over"
        }
    }

    private static func figures(_ state: LiveState) -> [String] {
        var figures: [String] = []
        if state.advice.isWarning { figures.append(state.advice.text) }
        if let rate = state.framesPerSecond { figures.append("\(decimal(rate, places: 1)) frames a second") }
        guard state.stage != .waiting else { return figures }
        figures.append("coverage \(decimal(state.coverage * 100, places: 0)) %")
        if let wall = state.wall {
            figures.append("wall \(decimal(wall.distanceMm / 1000, places: 2)) m")
            figures.append("tilt \(decimal(wall.tiltDegrees, places: 1)) degrees")
        }
        if let noise = state.stabilityMm { figures.append("noise \(decimal(noise, places: 1)) mm") }
        if let movement = state.movementMps { figures.append("movement \(decimal(movement, places: 2)) m/s") }
        return figures + [state.tracking.rawValue, "thermal \(state.thermal.rawValue)"]
    }
}
