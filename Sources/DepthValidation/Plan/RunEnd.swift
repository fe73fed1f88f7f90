/// Why no more frames will come.
public enum RunEnd: Sendable {
    case unplugged
    /// Ctrl-C or a termination signal.
    case cancelled
    /// A recording is over.
    case inputEnded
    /// The device or its firmware reported an error that it does not recover from.
    case deviceFailed
}
