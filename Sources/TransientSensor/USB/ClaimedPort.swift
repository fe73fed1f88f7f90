/// Both interfaces of a serial port, ours until given back. All or nothing, and no other interface is ever touched.
final class ClaimedPort {
    private let device: OpenDevice
    private let pair: CDCPair
    private var detached = false
    /// In the order they were claimed.
    private var claimed: [UInt8] = []

    /// Takes the control interface from its kernel driver, which lets go of both, and claims control, then data.
    ///
    /// When a step fails, `deinit` gives back what the earlier ones took.
    init(_ pair: CDCPair, of device: OpenDevice) throws(USBFailure) {
        self.device = device
        self.pair = pair
        detached = try device.detachKernelDriver(pair.control)
        for interface in [pair.control, pair.data] {
            try device.claim(interface)
            claimed.append(interface)
        }
    }

    deinit { giveBack() }

    /// Releases data before control and only then calls the kernel driver, which refuses to come while either is claimed.
    /// Gives back exactly what was taken; idempotent. Errors are an unplug's, and nothing can be done about them.
    func giveBack() {
        while let interface = claimed.popLast() { device.release(interface) }
        if detached { device.attachKernelDriver(pair.control) }
        detached = false
    }

    /// Sets the line coding and reads it back, as class requests to the control interface.
    func set(_ coding: LineCoding, path: String) throws(SensorError) {
        let index = UInt16(pair.control)
        do throws(USBFailure) {
            try device.request(ControlSetup(requestType: 0x21, request: 0x20, value: 0, index: index), sending: coding.cdcBytes)
        } catch {
            throw .during("SET_LINE_CODING", path, error)
        }
        let answer: [UInt8]
        do throws(USBFailure) {
            answer = try device.request(ControlSetup(requestType: 0xa1, request: 0x21, value: 0, index: index), reading: 7)
        } catch {
            throw .during("GET_LINE_CODING", path, error)
        }
        try coding.check(answer, path: path)
    }
}
