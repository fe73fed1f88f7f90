import TransientSensor

/// What the shell learns; the meanings are those of the man page.
enum ExitStatus: Int32, Error {
    case done = 0
    case failed = 1
    case usage = 2
    case noSensor = 3
    case denied = 4
    case device = 5
    case network = 6
    case refused = 7
    case interrupted = 130
    case terminated = 143

    init(_ error: SensorError) {
        self =
            switch error {
            case .notFound: .noSensor
            case .several, .noSuchSerialPort: .usage
            case .denied: .denied
            case .unplugged: .failed
            case .badRecording: .failed
            default: .device
            }
    }
}
