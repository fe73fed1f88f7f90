internal import NLOSCore

/// Every sentence of a verdict: what was measured, what was needed, the likely cause, what to do.
extension Finding {
    var verdict: Verdict {
        let sentences = self.sentences
        return Verdict(
            failure: failure, measured: sentences.measured, needed: sentences.needed, likelyCause: sentences.cause,
            whatToDo: sentences.action, publicReason: publicReason)
    }

    private typealias Sentences = (measured: String, needed: String, cause: String, action: String)

    private var sentences: Sentences {
        switch self {
        case .noFrames(let seconds, let unusable):
            (
                unusable > 0
                    ? "no usable frame in \(figure(seconds, decimals: 1)) s; \(unusable) had a grid that no wall can be fitted to"
                    : "no frame in \(figure(seconds, decimals: 1)) s",
                "a frame within \(figure(Double(Thresholds.firstFrameNs) / 1e9)) s of opening the sensor",
                "another firmware or another baud rate than expected, a board that has not started, or a cable without data lines",
                "press the board's reset button, try another cable and a port of the computer itself, then nlos-bridge probe --open"
            )
        case .stalled(let silentMs, let limitMs, let repeats, let cause): Self.stalled(silentMs, limitMs, repeats, cause)
        case .disconnected:
            (
                "the sensor left the bus", "a sensor that stays plugged in for the whole run",
                "a loose plug, too little power from the hub, or a worn cable",
                "plug it straight into the computer with a short cable, hold the cable still, and start a new run"
            )
        case .interrupted(let partMs):
            (
                "the monotonic and the boot clock parted by \(figure(partMs)) ms",
                "at most \(figure(Double(Thresholds.clocksPartNs) / 1e6)) ms", "the computer was suspended during the run",
                "keep the computer awake (lid open, on mains power) and start a new run"
            )
        case .noDepth(let statusMissing):
            (
                statusMissing ? "every zone of every frame has status 0: the status is not filled in" : "no zone ever had a distance",
                "zones with distances of 10 to 10,000 mm",
                statusMissing
                    ? "a firmware build that does not output the target status"
                    : "the cap or film is still on, nothing is within reach, or the firmware reports no distances",
                statusMissing
                    ? "use a firmware that outputs target status, and start a new run"
                    : "take off cap and film, face a matte wall at about a metre, and start a new run"
            )
        case .lowCoverage(let coverage, let phase):
            (
                "mean coverage \(percent(coverage)) in the \(phase.words)", "at least \(percent(Thresholds.coverage))",
                "a shiny, dark, transparent or distant surface, the edge of the wall in view, or sunlight on it",
                "use a matte, light wall at 0.5 to 4 m that fills the view, out of the sun, and start a new run"
            )
        case .implausible(let coverage, let near, let stuck): Self.implausible(coverage, near: near, stuck: stuck)
        case .lowFrameRate(let fps, let attainable, let phase):
            (
                "\(figure(fps, decimals: 1)) frames a second in the \(phase.words)",
                "at least \(figure(attainable * Thresholds.frameRate, decimals: 1)) a second "
                    + "(\(percent(Thresholds.frameRate)) of the attainable \(figure(attainable, decimals: 1)))",
                "a slow or shared hub, lost bytes on the line, or a busy computer",
                "plug the board straight into the computer, close other programs that use USB, or ask for a lower rate or fewer bins"
            )
        case .frozen(let share):
            (
                "\(percent(share)) of the frames repeat the one before exactly", "at most \(percent(Thresholds.frozenShare))",
                "the firmware sends a frame again when it has no new one, or the line cannot carry the rate",
                "ask for a lower rate or fewer zones, restart the board, and start a new run"
            )
        case .twoPeaks(let zoneShare):
            (
                "two peaks: in \(percent(zoneShare)) of the zones the distances fall into two groups",
                "at most \(percent(Thresholds.twoPeakZoneShare)) of the zones",
                "two surfaces in one view (an edge, a pane of glass), or a sensor that alternates between two settings",
                "face a plain part of the wall with nothing in front of it, clean the cover glass, and start a new run"
            )
        case .outliers(let share):
            (
                "\(figure(share * 100, decimals: 1)) % of the readings are far from their zone's median",
                "at most \(percent(Thresholds.outlierShare))",
                "a glossy or slanted surface, a dirty cover glass, or other infrared light",
                "clean the cover glass, face a matte wall squarely, away from lamps and sun, and start a new run"
            )
        case .noise(let mm, let limitMm):
            (
                "noise \(figure(mm, decimals: 1)) mm (median over zones, the wall's own motion taken out)",
                "at most \(figure(limitMm, decimals: 1)) mm", "a dark or distant wall, strong light, or a sensor that was not held still",
                "hold the sensor still or put it down, at about a metre from a light matte wall, and start a new run"
            )
        case .wallOutOfRange(let mm):
            (
                mm.map { "the wall at \(figure($0 / 1000, decimals: 2)) m" } ?? "no plane in the distances", "a wall at 0.5 to 4 m",
                (mm ?? .infinity) < Thresholds.wallDistanceMm.lowerBound
                    ? "the sensor is too near, or something covers it: a hand, a film, a dirty cover glass"
                    : "the sensor is too far from the wall, or does not face one",
                "move to about a metre from a matte wall and start a new run"
            )
        case .noSteadyWall(let share):
            (
                "a flat wall in \(percent(share)) of the frames", "in at least \(percent(Thresholds.steadyWallShare))",
                "furniture, an edge, a door or a person in view, or a movement that left the wall",
                "choose a plain stretch of wall, move at 5 to 15 cm a second along it, and start a new run"
            )
        case .ambient(let atSeconds, let factor, let withDistances):
            (
                "inconclusive: the light changed by a factor of \(figure(factor, decimals: 1)) from \(figure(atSeconds, decimals: 1)) s on"
                    + (withDistances ? ", and distances jumped with it" : ""),
                "a change by less than a factor of \(figure(Thresholds.ambientFactor)), and distances that do not follow the light",
                "sunlight, or a lamp with infrared light that was switched on or came into view",
                "draw the curtains or turn away from the window, leave the lamps alone, and start a new run"
            )
        }
    }

    private static func stalled(_ silentMs: Double?, _ limitMs: Double, _ repeats: Int, _ cause: StallCause) -> Sentences {
        let repeated = repeats > 0 ? "; \(repeats) repeats of an old frame came meanwhile" : ""
        let needed = "never more than \(figure(limitMs)) ms without a frame"
        return switch cause {
        case .silence:
            (
                "no frame for \(figure(silentMs ?? 0)) ms\(repeated)", needed,
                "a loose cable, a busy hub, USB autosuspend, a firmware that stopped, or a computer that stood still meanwhile",
                "use a short cable without a hub, install the udev rule (it turns autosuspend off), press the board's reset button, and start a new run"
            )
        case .inputEnded:
            (
                "the recording ended before the run did\(repeated)", needed, "a recording shorter than the 45 seconds",
                "use a recording of at least 46 seconds"
            )
        case .deviceFailed:
            (
                "the device reported an error and sends no more frames\(repeated)", needed,
                "the sensor or its firmware stopped", "press the board's reset button or plug it in again, and start a new run"
            )
        }
    }

    private static func implausible(_ coverage: Double, near: Int, stuck: Int) -> Sentences {
        let parts =
            (near > 0 ? ["\(near) zones read less than half of the wall's distance"] : [])
            + (stuck > 0 ? ["\(stuck) zones never changed by a millimetre, and the stream does not say whether they saw anything"] : [])
        return (
            "coverage \(percent(coverage)) by zones that can be the wall's" + (parts.isEmpty ? "" : ": \(parts.joined(separator: "; "))"),
            "at least \(percent(Thresholds.coverage))", "a cover glass, a film or a hand in front of the sensor, or zones without a target",
            "take film and glass away, clean the sensor, face a matte wall at about a metre, and start a new run"
        )
    }

    /// For the diagnostic: what was not met, without a single distance and without anything that names a device or a place.
    private var publicReason: PublicSentence {
        switch self {
        case .noFrames: "No frame came within 5 s of opening the sensor."
        case .stalled(_, let limitMs, _, .silence): "No frame came for more than \(seconds: limitMs / 1_000)."
        case .stalled(_, _, _, .inputEnded): "The recording ended before the run did."
        case .stalled(_, _, _, .deviceFailed): "The device reported an error and sent no more frames."
        case .disconnected: "The sensor was unplugged."
        case .interrupted: "The host was suspended, or its monotonic and boot clocks parted by more than 250 ms."
        case .noDepth: "No zone ever had a distance."
        case .lowCoverage(_, let phase): "The mean depth coverage of the \(phase) was under \(percent: Thresholds.coverage)."
        case .implausible: "Too few zones can have seen the wall: others read far too near, or never changed."
        case .lowFrameRate(_, _, let phase):
            "The frame rate of the \(phase) was under \(percent: Thresholds.frameRate) of the attainable rate."
        case .frozen: "More than \(percent: Thresholds.frozenShare) of the frames repeated the one before exactly."
        case .twoPeaks: "Distances fell into two groups (two peaks) in more than \(percent: Thresholds.twoPeakZoneShare) of the zones."
        case .outliers: "More than \(percent: Thresholds.outlierShare) of the readings were far from their zone's median."
        case .noise: "The temporal noise of the calibration was over its limit."
        case .wallOutOfRange(nil): "No wall could be fitted."
        case .wallOutOfRange: "The wall was outside 0.5 to 4 m."
        case .noSteadyWall: "Fewer than \(percent: Thresholds.steadyWallShare) of the frames of the wall scan showed a flat wall."
        case .ambient(let atSeconds, _, let withDistances):
            withDistances
                ? "Inconclusive: the ambient light changed and distances jumped with it, from \(seconds: atSeconds) into the run."
                : "Inconclusive: the ambient light changed by more than a factor of 8, from \(seconds: atSeconds) into the run."
        }
    }
}
