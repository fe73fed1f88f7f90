import NLOSCore
import TransientSensor

/// A probed sensor as text, within the terminal's width.
enum ProbeTable {
    /// `width` in cells; the terminal's own when it is not given.
    static func text(of sensor: ProbedSensor, on terminal: Terminal = .output, width: Int? = nil) -> String {
        let width = width ?? terminal.width
        var lines: [String] = []
        let style: Terminal.Style = sensor.access == .ready ? .green : .red
        lines.append("\(terminal.styled(harmless(sensor.path), .bold))  \(sensor.board)  \(terminal.styled(sensor.access.words, style))")
        if sensor.origin != .live {
            lines.append("  \(terminal.styled(sensor.origin.watermark ?? "", .yellow)): no sensor speaks here; its frames always say so")
        }
        for (name, value) in facts(sensor) {
            lines.append(contentsOf: columns("  \(name)", value, at: 14, width: width))
        }
        lines.append("")
        lines.append(contentsOf: signals(sensor, on: terminal, width))
        for note in sensor.notes { lines.append(contentsOf: wrapped("note: \(note)", width: width - 2).map { "  \($0)" }) }
        lines.append("")
        return lines.joined(separator: "\n")
    }

    private static func facts(_ sensor: ProbedSensor) -> [(String, String)] {
        var facts: [(String, String)] = []
        if let vendorId = sensor.vendorId, let productId = sensor.productId { facts.append(("usb id", "\(vendorId):\(productId)")) }
        if let serial = sensor.serial { facts.append(("serial", serial.shown)) }
        if let node = sensor.node { facts.append(("node", harmless(([node] + sensor.ttyNodes).joined(separator: " ")))) }
        if let driver = sensor.kernelDriver { facts.append(("driver", driver)) }
        facts.append(("profile", sensor.profile?.name ?? "none: nothing says which firmware speaks there"))
        guard let firmware = sensor.firmware else {
            facts.append(("firmware", sensor.openFailure.map(harmless) ?? "not asked; probe --open asks"))
            return facts
        }
        facts.append(("firmware", firmware.version ?? "does not say (it names itself only when it starts)"))
        if let shape = firmware.shape {
            let rate = firmware.framesPerSecond.map { ", \(decimal($0, places: 1)) frames a second" } ?? ""
            facts.append(("stream", "\(shape)\(rate)"))
        }
        if let coverage = firmware.depthCoverage {
            facts.append(("coverage", "\(decimal(coverage * 100, places: 0)) % of the zones have a distance"))
        }
        if let temperature = firmware.temperatureC { facts.append(("temperature", "\(temperature) °C, the sensor's own")) }
        return facts
    }

    private static func signals(_ sensor: ProbedSensor, on terminal: Terminal, _ width: Int) -> [String] {
        let rows =
            sensor.signals.map { ($0.kind.words, $0.status.rawValue, $0.use.words) } + [("reconstruction", "-", "not done by this tool")]
        // Wide enough for three columns, or the use goes under its signal.
        let wide = width >= 98
        var lines = [
            wide
                ? "  \(padded("signal", to: 31))\(padded("status", to: 13))may be used as"
                : "  \(padded("signal", to: 31))status / may be used as"
        ]
        for (signal, status, use) in rows {
            let styled = status == "available" ? terminal.styled(padded(status, to: 13), .green) : padded(status, to: 13)
            if wide {
                lines.append("  \(padded(signal, to: 31))\(styled)\(use)")
            } else {
                lines.append("  \(padded(signal, to: 31))\(status)")
                if use != "-" { lines.append(contentsOf: wrapped(use, width: width - 6).map { "      \($0)" }) }
            }
        }
        return lines
    }
}

extension AttachedSensor.Access {
    var words: String {
        switch self {
        case .ready: "ready"
        case .denied: "permission denied"
        case .busy: "busy"
        case .noSerialInterface: "no serial interface"
        }
    }
}
