import BoardModels
import Glibc
import TransientSensor

/// The device behind the cable: descriptors and endpoint zero of a model, a firmware behind its first serial port.
///
/// Bytes in, bytes out; it reads no clock and touches no file.
struct VirtualBoard {
    private static let lineRate: UInt32 = 2_250_000

    let model: BoardModel
    private let port: SerialPort
    private var control: ControlRequests
    private var log = HostLog()
    private var firmware: SimulatedBoard
    var input: BulkPipe
    /// Writes of the host stay unanswered.
    var holdsOutput = false
    /// Requests to endpoint zero and writes that are not answered yet.
    private var unanswered: Set<UInt32> = []
    /// Endpoints besides the serial port's that the host has used: none of its business.
    private(set) var touched: Set<UInt8> = []

    init?(model: BoardModel, serial: BoardModels.SerialNumber, firmware: SimulatedBoard) {
        guard let port = model.serialPorts.first else { return nil }
        self.model = model
        self.port = port
        self.firmware = firmware
        control = ControlRequests(model: model, serial: serial)
        input = BulkPipe(packetSize: port.input.packetSize)
    }

    var nextEventNs: UInt64? { firmware.nextEventNs }
    var isUnplugged: Bool { firmware.isUnplugged }
    var coding: BoardModels.LineCoding? { control.lineCodings[port.control] }
    /// Class requests (bRequest) that it refuses.
    var refused: Set<UInt8> {
        get { control.stalled }
        set { control.stalled = newValue }
    }

    /// Lets the firmware speak until now. At another line rate than its own, each byte is another byte.
    mutating func advance(toNs: UInt64) {
        let isAtRate = coding?.baud == Self.lineRate
        firmware.advance(toNs: toNs) { bytes in
            if isAtRate {
                input.feed(bytes)
            } else {
                bytes.map { $0 &* 29 ^ 0xa7 }.withUnsafeBytes { input.feed($0) }
            }
        }
    }

    mutating func take(_ request: Request, atNs: UInt64, _ reply: ([UInt8]) -> Void) {
        switch request {
        case .unlink(let number, let victim):
            let was = unanswered.remove(victim) != nil || input.unlink(victim, reply)
            reply(Reply.unlinked(number, status: was ? -ECONNRESET : 0))
        case .submit(let transfer) where transfer.endpoint == 0: answerControl(transfer, reply)
        case .submit(let transfer) where transfer.address == port.input.address: input.submit(transfer)
        case .submit(let transfer) where transfer.address == port.output.address:
            guard !holdsOutput else {
                unanswered.insert(transfer.number)
                return
            }
            firmware.receive(transfer.data, atNs: atNs)
            reply(Reply.submitted(transfer.number, status: 0, count: transfer.data.count))
        case .submit(let transfer):
            // The port's own interrupt endpoint says nothing; any other endpoint is somebody else's.
            let isNotification = model.interfaces.first { $0.number == port.control }?.endpoints.contains { $0.address == transfer.address }
            if isNotification != true { touched.insert(transfer.address) }
            unanswered.insert(transfer.number)
        }
    }

    private mutating func answerControl(_ transfer: Submission, _ reply: ([UInt8]) -> Void) {
        guard let setup = Setup(wire: transfer.setup) else { return }
        switch answer(setup, transfer.data) {
        case .data(let bytes):
            let bytes = Array(bytes.prefix(min(Int(setup.length), transfer.length)))
            reply(Reply.submitted(transfer.number, status: 0, count: bytes.count, data: bytes))
        case .accepted: reply(Reply.submitted(transfer.number, status: 0, count: transfer.data.count))
        case .stall: reply(Reply.submitted(transfer.number, status: -EPIPE, count: 0))
        case .silence: unanswered.insert(transfer.number)
        }
    }

    private mutating func answer(_ setup: Setup, _ data: [UInt8]) -> ControlReply {
        switch (setup.type, setup.request) {
        case (0x00, 9):  // SET_CONFIGURATION: also what follows a reset
            control.forgetLineCodings()
            return .accepted
        case (0x01, 11): return .accepted  // SET_INTERFACE
        case (0x02, 1):  // CLEAR_FEATURE, endpoint halt
            if UInt8(truncatingIfNeeded: setup.index) == port.input.address { input.clear() }
            return .accepted
        default: return control.answer(setup, data, &log)
        }
    }
}
