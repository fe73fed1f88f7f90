public import NLOSCore

extension AttachedSensor {
    /// Why this board cannot be used as it is, and what to do; nil for a board that is ready and has a profile.
    public var diagnosis: Message? {
        if case .unsupportedSensor(let known) = kind {
            return Message(text: "\(path): \(board): not supported yet: \(known)", next: "read it with the software of its maker")
        }
        return switch access {
        case .ready: profile == nil ? SensorError.unknownFirmware(path: path, board: board).message : nil
        case .denied: SensorError.denied(path: path, node: node).message
        case .busy: SensorError.busy(path: path, node: ttyNodes.first ?? node).message
        case .noSerialInterface: withoutSerialInterface
        }
    }

    private var withoutSerialInterface: Message {
        switch kind {
        case .vendorSerialChip:
            Message(
                text: "\(path): \(board): only a kernel driver speaks its language",
                next: ttyNodes.first.map { "read it with --port \($0)" } ?? "load its kernel driver; then read it with --port")
        case .probeWithoutSerialPort:
            Message(
                text: "\(path): \(board): it has no serial port",
                next: "replug it if it is in its boot loader; else use a V2-1 or V3 probe")
        case .sensorBoard, .sketchBoard, .otherSerialBoard, .unsupportedSensor:
            if configuration == nil {
                Message(
                    text: "\(path): \(board) (\(id)\(speed)): the kernel has set no configuration",
                    next: "replug it into another port, without a hub in between; see the kernel's words in dmesg")
            } else {
                Message(
                    text: "\(path): \(board) (\(id)\(speed)) shows no serial interface, only \(shownInterfaces)",
                    next: "replug it; if that does not help, update the firmware of its debug probe")
            }
        }
    }

    private var speed: String { speedMbps.map { ", \($0 == $0.rounded() ? String(Int($0)) : String($0)) Mbit/s" } ?? "" }

    private var shownInterfaces: String {
        interfaces.isEmpty ? "nothing" : interfaces.map { "\($0.kind)\($0.driver.map { " (\($0))" } ?? "")" }.joined(separator: ", ")
    }
}
