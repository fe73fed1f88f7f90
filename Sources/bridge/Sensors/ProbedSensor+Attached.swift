import NLOSCore
import TransientSensor

extension ProbedSensor {
    init(_ sensor: AttachedSensor) {
        self.init(
            path: sensor.path, vendorId: hexadecimal(sensor.vendorId), productId: hexadecimal(sensor.productId), serial: sensor.serial,
            board: sensor.board, profile: sensor.sensorProfile, access: sensor.access, node: sensor.node, ttyNodes: sensor.ttyNodes,
            kernelDriver: sensor.kernelDriver, notes: Self.notes(on: sensor), origin: .live)
    }

    private static func notes(on sensor: AttachedSensor) -> [String] {
        var notes = sensor.diagnosis.map { [$0.text, $0.next].compactMap { $0 } } ?? []
        if sensor.isOpenToModemManager {
            notes.append(
                "\(sensor.path): ModemManager runs and may have written to the board just after it was plugged in; install "
                    + "the udev rules ('sudo make install' in the source folder) and replug, or press reset when a configuration is not taken"
            )
        }
        return notes
    }

    /// A serial port, as far as it can be told without opening it.
    static func port(_ facts: PortFacts, _ profile: SensorProfile?) -> ProbedSensor {
        let board = facts.isPseudoTerminal ? "pseudo-terminal" : "serial port"
        return ProbedSensor(
            path: facts.path, board: board, profile: profile, access: facts.access, node: facts.node, origin: facts.origin)
    }

    /// A source that is no board on USB.
    static func other(_ path: String, board: String, _ profile: SensorProfile, _ origin: FrameSource) -> ProbedSensor {
        ProbedSensor(path: path, board: board, profile: profile, access: .ready, origin: origin)
    }
}

private func hexadecimal(_ id: UInt16) -> String { hexadecimal([UInt8(id >> 8), UInt8(id & 0xff)]) }
