/// Why a run did not complete. The raw value is the name in the result.
public enum ValidationFailure: String, CaseIterable, Error, Sendable {
    case noFrames = "no_frames"
    case stalled
    case sensorDisconnected = "sensor_disconnected"
    case interrupted
    case lowCoverage = "low_coverage"
    case lowFrameRate = "low_frame_rate"
    case unstableDepth = "unstable_depth"
    case wallOutOfRange = "wall_out_of_range"
    case noSteadyWall = "no_steady_wall"
    case frozenFrames = "frozen_frames"
    case ambientLight = "ambient_light"
    case noDepth = "no_depth"
}
