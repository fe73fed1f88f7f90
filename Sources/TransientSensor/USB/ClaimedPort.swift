/// Both interfaces of a serial port, ours until given back. All or nothing, and no other interface is ever touched.
final class ClaimedPort {
    private let device: OpenDevice
    private let pair: CDCPair
    /// Whether the control interface goes to its kernel driver in the end.
    private var goesToKernel = false
    /// In the order they were claimed.
    private var claimed: [UInt8] = []

    /// Takes the control interface from its kernel driver, which lets go of both, and claims control, then data.
    ///
    /// When a step fails, `deinit` gives back what the earlier ones took.
    init(_ pair: CDCPair, of device: OpenDevice) throws(USBFailure) {
        self.device = device
        self.pair = pair
        goesToKernel = try device.detachKernelDriver(pair.control)
        for interface in [pair.control, pair.data] {
            try device.claim(interface)
            claimed.append(interface)
        }
        // Both are ours, so nobody had them. A serial port that no driver has was left so by a run that was killed before it could
        // give it back, and nothing else would bring its tty back before a replug. Where a port is meant to have no driver, the
        // kernel has none to give it.
        goesToKernel = true
    }

    deinit { giveBack() }

    /// Releases data before control and only then calls the kernel driver, which refuses to come while either is claimed.
    /// Gives back what was taken, and the port to the driver that it belongs to; idempotent. Errors are an unplug's, and nothing can be done about them.
    func giveBack() {
        while let interface = claimed.popLast() { device.release(interface) }
        if goesToKernel { device.attachKernelDriver(pair.control) }
        goesToKernel = false
    }

    /// Drops DTR and RTS, or raises both, as a class request to the control interface (USB CDC PSTN 1.2, 6.3.12).
    func setModemLines(up: Bool, path: String) throws(SensorError) {
        let setup = ControlSetup(requestType: 0x21, request: 0x22, value: up ? 3 : 0, index: UInt16(pair.control))
        do throws(USBFailure) {
            try device.request(setup, sending: [])
        } catch .stalled {
            // It has no such lines: then nothing hangs on them.
        } catch {
            throw .during("SET_CONTROL_LINE_STATE", path, error)
        }
    }

    /// Sets the line coding and, unless the board takes any rate, reads it back, as class requests to the control interface.
    func set(_ coding: LineCoding, takesAnyRate: Bool, path: String) throws(SensorError) {
        let index = UInt16(pair.control)
        do throws(USBFailure) {
            try device.request(ControlSetup(requestType: 0x21, request: 0x20, value: 0, index: index), sending: coding.cdcBytes)
        } catch {
            guard error == .stalled, takesAnyRate else { throw .during("SET_LINE_CODING", path, error) }
        }
        guard !takesAnyRate else { return }
        let answer: [UInt8]
        do throws(USBFailure) {
            answer = try device.request(ControlSetup(requestType: 0xa1, request: 0x21, value: 0, index: index), reading: 7)
        } catch {
            throw .during("GET_LINE_CODING", path, error)
        }
        try coding.check(answer, path: path)
    }
}
