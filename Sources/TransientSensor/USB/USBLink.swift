public import NLOSCore

/// A board on USB, spoken to by libusb past the kernel's serial driver.
///
/// Belongs to its owner's thread. One thread inside handles events; it only copies bytes into the queue.
public final class USBLink: ByteSource {
    /// What exists while the link is open.
    private struct Machinery {
        let device: OpenDevice
        let port: ClaimedPort
        let inbound: InboundTransfers
        let thread: EventThread
    }

    /// Bytes handed over in one call of `drain`.
    private static let drainLimit = 65_536
    private static let sendLimitNs: UInt64 = 1_000_000_000

    public let path: String
    public let recordedDevice: RecordedDevice
    private let output: EndpointDescriptor
    private let clocks: Clocks
    private var machinery: Machinery?
    /// What is left to tell after `close`.
    private var atClose: (lost: UInt64, stalls: UInt64) = (0, 0)

    /// Opens the board, takes one of its serial ports from the kernel driver, sets the line and starts to read.
    ///
    /// `vcp` counts the device's serial ports from 0; `bufferBytes` is how many may wait for the owner before some are lost
    /// (4 MiB are 19 seconds of a board at full rate). DTR stays as it is. Throws `noSerialInterface`, `denied`, `busy`
    /// (another program has the port open or its interfaces claimed; a retry is the caller's choice), `unplugged`,
    /// `rateRefused`, or `usb` with the name of the request that failed; whatever had been taken is given back then.
    public init(
        opening sensor: AttachedSensor, coding: LineCoding, vcp: Int = 0, clocks: Clocks, bufferBytes: Int = 4 << 20
    ) throws(SensorError) {
        let path = sensor.path
        guard sensor.serialPairs.indices.contains(vcp) else { throw .noSerialInterface(path: path) }
        let pair = sensor.serialPairs[vcp]
        // Detaching the driver would hang up whoever has the tty open, without a word to them.
        if let tty = sensor.ttyNode(of: pair), !KernelFiles.held(among: [tty]).isEmpty { throw .busy(path: path, node: tty) }
        let device = try Self.open(sensor)
        let port: ClaimedPort
        do throws(USBFailure) {
            port = try ClaimedPort(pair, of: device)
        } catch {
            throw error == .busy ? .busy(path: path, node: sensor.ttyNode(of: pair) ?? sensor.node) : .during("claim", path, error)
        }
        try port.set(coding, path: path)
        let inbound = try InboundTransfers(from: pair.input, of: device, path: path, clocks: clocks, bufferBytes: bufferBytes)
        let thread: EventThread
        do throws(SensorError) {
            try inbound.start()
            thread = try EventThread(handlingEventsOf: device.context) { inbound.abandon($0) }
        } catch {
            inbound.stop()
            throw error
        }
        self.path = path
        self.clocks = clocks
        output = pair.output
        recordedDevice = RecordedDevice(
            bus: UInt16(clamping: sensor.busNumber), address: UInt8(clamping: sensor.deviceNumber), inEndpoint: pair.input.address,
            outEndpoint: pair.output.address, descriptor: device.descriptor)
        machinery = Machinery(device: device, port: port, inbound: inbound, thread: thread)
    }

    deinit { close() }

    private static func open(_ sensor: AttachedSensor) throws(SensorError) -> OpenDevice {
        let context = try USBContext()
        do throws(USBFailure) {
            guard let device = try context.open(busNumber: sensor.busNumber, deviceNumber: sensor.deviceNumber) else { throw .gone }
            return device
        } catch {
            throw error == .denied ? .denied(path: sensor.path, node: sensor.node) : .during("open", sensor.path, error)
        }
    }

    /// A device of flesh and silicon; that it may be an emulated one cannot be seen from here.
    public var origin: FrameSource { .live }
    public var readiness: CInt { machinery?.inbound.queue.readiness ?? -1 }
    public var bytesLost: UInt64 { machinery?.inbound.queue.lost ?? atClose.lost }
    /// Times that the endpoint stalled and, unless it was the last time, was cleared.
    public var stalls: UInt64 { machinery?.inbound.stalls ?? atClose.stalls }

    public func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained {
        guard let inbound = machinery?.inbound else { return .finished }
        // Asked before the queue is emptied: once it has ended, everything it brought is in there.
        let end = inbound.attend()
        var handed = 0
        while handed < Self.drainLimit {
            let took = inbound.queue.take { bytes, arrival in
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
        guard let device = machinery?.device else { throw .unplugged(path: path) }
        let limit = clocks.monotonicNs() + Self.sendLimitNs
        var rest = bytes[...]
        do throws(USBFailure) {
            while !rest.isEmpty {
                let left = interval(from: clocks.monotonicNs(), to: limit) / 1_000_000
                // Zero would mean "no limit" to libusb.
                guard left > 0 else { throw .timeout }
                rest = rest.dropFirst(try device.write(rest.prefix(4096), to: output.address, milliseconds: UInt32(left)))
            }
        } catch {
            throw .during("write", path, error)
        }
    }

    public func close() {
        guard let machinery else { return }
        machinery.thread.stop()
        machinery.inbound.stop()
        machinery.port.giveBack()
        atClose = (machinery.inbound.queue.lost, machinery.inbound.stalls)
        // The handle closes and the context exits with the last references.
        self.machinery = nil
    }
}
