import TransientSensor

extension FirmwareLine {
    /// What the board said, for people; nil for what needs no telling.
    var sentence: String? {
        switch self {
        case .banner: "the board has started"
        case .ready(let version): "the board says it is ready, version \(version)"
        case .applying, .resolution: nil
        case .applied: "the board has applied a configuration"
        case .error(let text, _), .remark(let text): "the board says: \(text)"
        }
    }
}
