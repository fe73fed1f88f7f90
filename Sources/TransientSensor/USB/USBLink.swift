public import NLOSCore

/// A board on USB, spoken to by libusb past the kernel's serial driver.
///
/// Belongs to its owner's thread. One thread inside handles events; it only copies bytes into the queue.
public final class USBLink: ByteSource {
    /// What exists while the board is open.
    private struct Machinery {
        let device: OpenDevice
        let port: ClaimedPort
        let output: EndpointDescriptor
        let inbound: InboundTransfers
        let thread: EventThread
    }

    private enum State {
        case open(Machinery)
        /// It could not be opened again.
        case failed(SensorError)
        case closed
    }

    /// Bytes handed over in one call of `drain`.
    private static let drainLimit = 65_536
    private static let sendLimitNs: UInt64 = 1_000_000_000

    public let path: String
    /// As it was when the board was opened first.
    public let recordedDevice: RecordedDevice
    private let sensor: AttachedSensor
    private let coding: LineCoding
    private let modemLines: ModemLines
    private let takesAnyRate: Bool
    private let vcp: Int
    private let clocks: Clocks
    /// Outlives what fills it, so that nothing received is lost when the board is opened again.
    private let queue: ByteQueue
    private var state: State
    /// Of what was open before.
    private var stallsBefore: UInt64 = 0

    /// Opens the board, takes one of its serial ports from the kernel driver, sets the line and starts to read.
    ///
    /// `vcp` counts the device's serial ports from 0; `bufferBytes` is how many may wait for the owner before some are lost
    /// (4 MiB are 19 seconds of a board at full rate). Throws `noSerialInterface`, `noSuchSerialPort`, `denied`, `busy`
    /// (another program has the port open or its interfaces claimed; a retry is the caller's choice), `unplugged`,
    /// `rateRefused`, or `usb` with the name of the request that failed; whatever had been taken is given back then.
    public init(
        opening sensor: AttachedSensor, coding: LineCoding, modemLines: ModemLines = .untouched, takesAnyRate: Bool = false, vcp: Int = 0,
        clocks: Clocks, bufferBytes: Int = 4 << 20
    ) throws(SensorError) {
        let queue = try ByteQueue(capacity: bufferBytes)
        let opened = try Self.open(sensor, coding, modemLines, takesAnyRate, vcp, into: queue, clocks)
        path = sensor.path
        recordedDevice = RecordedDevice(
            bus: UInt16(clamping: sensor.busNumber), address: UInt8(clamping: sensor.deviceNumber),
            inEndpoint: opened.inbound.endpoint.address, outEndpoint: opened.output.address, descriptor: opened.device.descriptor)
        self.sensor = sensor
        self.coding = coding
        self.modemLines = modemLines
        self.takesAnyRate = takesAnyRate
        self.vcp = vcp
        self.clocks = clocks
        self.queue = queue
        state = .open(opened)
    }

    deinit { close() }

    private static func open(
        _ sensor: AttachedSensor, _ coding: LineCoding, _ modemLines: ModemLines, _ takesAnyRate: Bool, _ vcp: Int, into queue: ByteQueue,
        _ clocks: Clocks
    ) throws(SensorError) -> Machinery {
        let path = sensor.path
        guard sensor.serialPorts > 0 else { throw .noSerialInterface(path: path) }
        guard sensor.serialPairs.indices.contains(vcp) else {
            throw .noSuchSerialPort(path: path, asked: vcp + 1, has: sensor.serialPorts)
        }
        let pair = sensor.serialPairs[vcp]
        // Detaching the driver would hang up whoever has the tty open, without a word to them.
        if let tty = sensor.ttyNode(of: pair), !KernelFiles.held(among: [tty]).isEmpty { throw .busy(path: path, node: tty) }
        let device = try openDevice(sensor)
        let port: ClaimedPort
        do throws(USBFailure) {
            port = try ClaimedPort(pair, of: device)
        } catch {
            throw error == .busy ? .busy(path: path, node: sensor.ttyNode(of: pair) ?? sensor.node) : .during("claim", path, error)
        }
        try port.set(coding, takesAnyRate: takesAnyRate, path: path)
        if modemLines == .raised { try port.setModemLines(up: false, path: path) }
        let inbound = InboundTransfers(from: pair.input, of: device, path: path, clocks: clocks, into: queue)
        do throws(SensorError) {
            try inbound.start()
            // Not before somebody reads: a board may speak at once.
            if modemLines == .raised { try port.setModemLines(up: true, path: path) }
            let thread = try EventThread(handlingEventsOf: device.context) { inbound.abandon($0) }
            return Machinery(device: device, port: port, output: pair.output, inbound: inbound, thread: thread)
        } catch {
            inbound.stop()
            throw error
        }
    }

    private static func openDevice(_ sensor: AttachedSensor) throws(SensorError) -> OpenDevice {
        let context = try USBContext()
        do throws(USBFailure) {
            guard let device = try context.open(busNumber: sensor.busNumber, deviceNumber: sensor.deviceNumber) else { throw .gone }
            return device
        } catch {
            throw error == .denied ? .denied(path: sensor.path, node: sensor.node) : .during("open", sensor.path, error)
        }
    }

    private var machinery: Machinery? { if case .open(let machinery) = state { machinery } else { nil } }

    /// A device of flesh and silicon; that it may be an emulated one cannot be seen from here.
    public var origin: FrameSource { .live }
    public var readiness: CInt { if case .closed = state { -1 } else { queue.readiness } }
    public var bytesLost: UInt64 { queue.lost }
    /// Times that the endpoint stalled and, unless it was the last time, was cleared.
    public var stalls: UInt64 { stallsBefore + (machinery?.inbound.stalls ?? 0) }

    public func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained {
        // Asked before the queue is emptied: once it has ended, everything it brought is in there.
        let end: SensorError?
        switch state {
        case .open(let machinery): end = machinery.inbound.attend()
        case .failed(let error): end = error
        case .closed: return .finished
        }
        var handed = 0
        while handed < Self.drainLimit {
            let took = queue.take { bytes, arrival in
                // A hole counts as well, or a device that only overflows would keep this loop busy.
                handed += max(1, bytes.count)
                body(bytes, arrival)
            }
            guard took else {
                if let end { throw end }
                return .idle
            }
        }
        return .more
    }

    public func send(_ bytes: [UInt8]) throws(SensorError) {
        let machinery = try opened()
        let limit = clocks.monotonicNs() + Self.sendLimitNs
        var rest = bytes[...]
        do throws(USBFailure) {
            while !rest.isEmpty {
                let left = interval(from: clocks.monotonicNs(), to: limit) / 1_000_000
                // Zero would mean "no limit" to libusb.
                guard left > 0 else { throw .timeout }
                rest = rest.dropFirst(
                    try machinery.device.write(rest.prefix(4096), to: machinery.output.address, milliseconds: UInt32(left)))
            }
        } catch {
            throw .during("write", path, error)
        }
    }

    /// The board is the one in the same place, with the same ids and serial number; it may have another device number by now.
    /// Any other board there, or none, is `unplugged`.
    public func revive() throws(SensorError) -> Bool {
        _ = try opened()
        giveBack()
        queue.ownerCame()
        queue.lose(0, .now(clocks))
        do throws(SensorError) {
            let found = try Discovery.list().sensors.first {
                $0.busPath == sensor.busPath && $0.id == sensor.id && $0.serial == sensor.serial
            }
            guard let found else { throw .unplugged(path: path) }
            state = .open(try Self.open(found, coding, modemLines, takesAnyRate, vcp, into: queue, clocks))
        } catch {
            state = .failed(error)
            queue.callOwner()
            throw error
        }
        return true
    }

    public func close() {
        giveBack()
        state = .closed
    }

    private func opened() throws(SensorError) -> Machinery {
        switch state {
        case .open(let machinery): return machinery
        case .failed(let error): throw error
        case .closed: throw .unplugged(path: path)
        }
    }

    private func giveBack() {
        guard let machinery else { return }
        machinery.thread.stop()
        machinery.inbound.stop()
        // A board that writes to a host which reads no more would stand still. One that is gone has no lines.
        if modemLines == .raised { try? machinery.port.setModemLines(up: false, path: path) }
        machinery.port.giveBack()
        stallsBefore += machinery.inbound.stalls
        // The handle closes and the context exits with the last references.
        state = .closed
    }
}
