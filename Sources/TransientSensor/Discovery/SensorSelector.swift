/// Which sensor the user means: the value of `--sensor`.
///
/// Text forms: `usb:BUS-PORTS` (`usb:1-4.2`), `sim:NAME`, `replay:FILE`; anything else is a serial number or the
/// beginning of one. A selector prints back to its text form.
public enum SensorSelector: Hashable, Sendable, CustomStringConvertible {
    case usb(BusPath)
    /// A serial number or its beginning, compared without regard to the case of letters.
    case serial(String)
    case simulated(String)
    case replay(String)

    /// Nil for an empty text, an empty name after a prefix, a `usb:` that is not followed by a bus and ports, and a port
    /// (`tty:…` or a path), which is no board that can be found.
    public init?(_ text: String) {
        if let place = text.after("usb:") {
            guard let path = BusPath(place) else { return nil }
            self = .usb(path)
        } else if let name = text.after("sim:") {
            guard !name.isEmpty else { return nil }
            self = .simulated(String(name))
        } else if let file = text.after("replay:") {
            guard !file.isEmpty else { return nil }
            self = .replay(String(file))
        } else {
            guard !text.isEmpty, !text.hasPrefix("/"), !text.hasPrefix("tty:") else { return nil }
            self = .serial(text)
        }
    }

    public var description: String {
        switch self {
        case .usb(let path): "usb:\(path)"
        case .serial(let beginning): beginning
        case .simulated(let name): "sim:\(name)"
        case .replay(let file): "replay:\(file)"
        }
    }

    /// The one attached sensor that is meant.
    ///
    /// Throws `notFound`, or `several` with the paths when the beginning of a serial number, or a copied one, fits more
    /// than one board. A simulated sensor and a replay are never attached: `notFound`.
    public func pick(from sensors: [AttachedSensor]) throws(SensorError) -> AttachedSensor {
        let matching: [AttachedSensor]
        switch self {
        case .usb(let path):
            matching = sensors.filter { $0.busPath == path }
        case .serial(let beginning):
            let wanted = beginning.lowercased()
            let serials = sensors.map { ($0, $0.serial?.text?.lowercased() ?? "") }
            // A whole number is what it says, even where a longer one begins with it.
            let whole = serials.filter { $0.1 == wanted }
            matching = (whole.isEmpty ? serials.filter { $0.1.hasPrefix(wanted) } : whole).map(\.0)
        case .simulated, .replay:
            matching = []
        }
        return try Self.single(of: matching, selector: description)
    }

    /// The one attached board that a profile exists for, when the user named none. Throws `notFound`, `several`, or `unknownFirmware` where
    /// there are only boards that may be anything: opening one may start it anew, so that it has to be named.
    public static func pickOnly(from sensors: [AttachedSensor]) throws(SensorError) -> AttachedSensor {
        let known = sensors.filter { $0.profile != nil }
        if known.isEmpty, let other = sensors.first(where: { $0.kind == .sketchBoard || $0.kind == .otherSerialBoard }) {
            throw .unknownFirmware(path: other.path, board: other.board)
        }
        return try single(of: known, selector: nil)
    }

    private static func single(of matching: [AttachedSensor], selector: String?) throws(SensorError) -> AttachedSensor {
        guard let first = matching.first else { throw .notFound(selector: selector) }
        guard matching.count == 1 else { throw .several(paths: matching.map(\.path)) }
        return first
    }
}

extension String {
    fileprivate func after(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
