internal import CUMockdev

/// Decodes usbfs ioctls, asks the device, and writes the answers into the host program's memory.
struct Usbfs {
    /// Memory of transfers in flight, to be filled when the host fetches them.
    private struct TransferMemory {
        let urb: HostMemory
        let buffer: HostMemory?

        func release() {
            urb.release()
            buffer?.release()
        }
    }

    private struct Key: Hashable {
        let client: ClientID
        let address: UInt
    }

    private var memory: [Key: TransferMemory] = [:]

    mutating func forget(_ client: ClientID) {
        for key in memory.keys where key.client == client { memory.removeValue(forKey: key)?.release() }
    }

    mutating func answer(_ call: IoctlCall, _ device: inout DeviceCore) -> IoctlResult {
        let client = call.clientID
        if call.request == NLOS_USBFS_REAPURBNDELAY { return reap(call, &device) }
        if device.gone { return .failed(ENODEV) }
        if let operation = HostOperation(request: call.request), let errno = device.failures[operation] { return .failed(errno) }

        switch call.request {
        case NLOS_USBFS_GET_CAPABILITIES:
            guard let (_, memory) = call.structure(UInt32.self) else { return .failed(EFAULT) }
            defer { memory.release() }
            memory.store(device.capabilities, at: 0)
            return .done
        case NLOS_USBFS_CLAIMINTERFACE: return withNumber(call) { device.claim($0, by: client) }
        case NLOS_USBFS_RELEASEINTERFACE: return withNumber(call) { device.release($0, by: client) }
        case NLOS_USBFS_CLEAR_HALT: return withNumber(call) { device.clearHalt($0, by: client) }
        case NLOS_USBFS_RESET: return device.reset()
        case NLOS_USBFS_SETCONFIGURATION:
            guard let (value, memory) = call.structure(Int32.self) else { return .failed(EFAULT) }
            memory.release()
            return device.setConfiguration(value)
        case NLOS_USBFS_SETINTERFACE:
            guard let (value, memory) = call.structure(usbdevfs_setinterface.self) else { return .failed(EFAULT) }
            memory.release()
            return device.setInterface(
                UInt8(truncatingIfNeeded: value.interface), alternate: UInt8(truncatingIfNeeded: value.altsetting), by: client)
        case NLOS_USBFS_GETDRIVER: return driverName(call, device)
        case NLOS_USBFS_IOCTL: return driverRequest(call, &device)
        case NLOS_USBFS_DISCONNECT_CLAIM: return disconnectAndClaim(call, &device)
        case NLOS_USBFS_CONTROL: return control(call, &device)
        case NLOS_USBFS_SUBMITURB: return submit(call, &device)
        case NLOS_USBFS_DISCARDURB: return device.discard(call.number, by: client)
        default:
            device.log.actions.append(.unknownIoctl(call.request))
            return .failed(ENOTTY)
        }
    }

    private func withNumber(_ call: IoctlCall, _ body: (UInt8) -> IoctlResult) -> IoctlResult {
        guard let (value, memory) = call.structure(UInt32.self) else { return .failed(EFAULT) }
        memory.release()
        return body(UInt8(truncatingIfNeeded: value))
    }

    private func driverName(_ call: IoctlCall, _ device: DeviceCore) -> IoctlResult {
        guard let (value, memory) = call.structure(usbdevfs_getdriver.self) else { return .failed(EFAULT) }
        defer { memory.release() }
        guard let holder = device.drivers[UInt8(truncatingIfNeeded: value.interface)] else { return .failed(EINVAL) }
        guard let name = holder.driverName else { return .failed(ENODATA) }
        memory.write(Array(name.utf8) + [0], at: MemoryLayout.offset(of: \usbdevfs_getdriver.driver)!)
        return .done
    }

    private func driverRequest(_ call: IoctlCall, _ device: inout DeviceCore) -> IoctlResult {
        guard let (value, memory) = call.structure(usbdevfs_ioctl.self) else { return .failed(EFAULT) }
        memory.release()
        let number = UInt8(truncatingIfNeeded: value.ifno)
        switch UInt(UInt32(bitPattern: value.ioctl_code)) {
        case NLOS_USBFS_DISCONNECT: return device.failures[.detach].map { .failed($0) } ?? device.disconnect(number)
        case NLOS_USBFS_CONNECT: return device.failures[.attach].map { .failed($0) } ?? device.connect(number)
        case let other:
            device.log.actions.append(.unknownIoctl(other))
            return .failed(ENOTTY)
        }
    }

    private func disconnectAndClaim(_ call: IoctlCall, _ device: inout DeviceCore) -> IoctlResult {
        guard let (value, memory) = call.structure(usbdevfs_disconnect_claim.self) else { return .failed(EFAULT) }
        defer { memory.release() }
        let name = memory.bytes[MemoryLayout.offset(of: \usbdevfs_disconnect_claim.driver)!...].prefix { $0 != 0 }
        return device.disconnectAndClaim(
            UInt8(truncatingIfNeeded: value.interface), driver: String(decoding: name, as: UTF8.self), flags: value.flags,
            by: call.clientID)
    }

    private func control(_ call: IoctlCall, _ device: inout DeviceCore) -> IoctlResult {
        guard let (value, memory) = call.structure(usbdevfs_ctrltransfer.self) else { return .failed(EFAULT) }
        defer { memory.release() }
        let setup = Setup(
            type: value.bRequestType, request: value.bRequest, value: value.wValue, index: value.wIndex, length: value.wLength)
        let offset = MemoryLayout.offset(of: \usbdevfs_ctrltransfer.data)!
        let buffer = setup.length > 0 ? memory.follow(offset, length: Int(setup.length)) : nil
        defer { buffer?.release() }
        let (result, answer) = device.controlRequest(setup, setup.isIn ? [] : buffer?.bytes ?? [], by: call.clientID)
        buffer?.write(answer, at: 0)
        return result
    }

    // MARK: Transfers

    private mutating func submit(_ call: IoctlCall, _ device: inout DeviceCore) -> IoctlResult {
        guard let (value, structure) = call.structure(usbdevfs_urb.self) else { return .failed(EFAULT) }
        let length = Int(value.buffer_length)
        let buffer = length > 0 ? structure.follow(MemoryLayout.offset(of: \usbdevfs_urb.buffer)!, length: length) : nil
        let kept = TransferMemory(urb: structure, buffer: buffer)
        guard let kind = Urb.Kind(rawValue: value.type), kind != .isochronous, length >= 0, length == 0 || buffer != nil else {
            kept.release()
            return .failed(EINVAL)
        }
        if kind != .control, let errno = device.failures[.submitData] {
            kept.release()
            return .failed(errno)
        }
        var setup: Setup?
        var endpoint = value.endpoint
        var data: [UInt8] = []
        if kind == .control {
            let bytes = buffer?.bytes ?? []
            setup = Setup(wire: bytes)
            endpoint = setup?.isIn == true ? 0x80 : 0
            if endpoint == 0 { data = Array(bytes.dropFirst(8)) }
        } else if endpoint & 0x80 == 0 {
            data = buffer?.bytes ?? []
        }
        // The third argument is the address of the structure, and the name of the transfer from now on.
        let urb = Urb(
            client: call.clientID, address: call.number, kind: kind, endpoint: endpoint, flags: value.flags,
            capacity: kind == .control ? max(0, length - 8) : length)
        let result = device.submit(urb, setup: setup, data: data)
        if result == .done {
            memory.updateValue(kept, forKey: Key(client: urb.client, address: urb.address))?.release()
        } else {
            kept.release()
        }
        return result
    }

    private mutating func reap(_ call: IoctlCall, _ device: inout DeviceCore) -> IoctlResult {
        guard let urb = device.reap(by: call.clientID) else {
            device.log.fruitlessFetches += 1
            return .failed(device.gone ? ENODEV : EAGAIN)
        }
        guard let kept = memory.removeValue(forKey: Key(client: urb.client, address: urb.address)),
            let slot = call.argument.follow(0, length: MemoryLayout<UInt>.size)
        else { return .failed(EFAULT) }
        defer {
            kept.release()
            slot.release()
        }
        kept.urb.store(urb.status, at: MemoryLayout.offset(of: \usbdevfs_urb.status)!)
        kept.urb.store(Int32(urb.actualLength), at: MemoryLayout.offset(of: \usbdevfs_urb.actual_length)!)
        if urb.endpoint & 0x80 != 0 { kept.buffer?.write(urb.received, at: urb.kind == .control ? 8 : 0) }
        slot.writePointer(to: kept.urb, at: 0)
        return .done
    }
}
