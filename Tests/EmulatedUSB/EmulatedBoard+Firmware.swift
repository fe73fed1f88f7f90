internal import CUMockdev

/// What the board does: the firmware's side of the cable, and every way in which USB can go wrong.
extension EmulatedBoard {
    private var input: UInt8? { model.serialPorts.first?.input.address }
    private var output: UInt8? { model.serialPorts.first?.output.address }

    /// Sends bytes to the host through a port (the first if not said).
    public func feed(_ bytes: [UInt8], port: Int = 0) {
        act { $0.feed(bytes, to: model.serialPorts[port].input.address) }
    }

    /// How later feeds are cut into packets.
    public func setChunking(_ chunking: Chunking) {
        act { device in
            if let input { device.queues[input]?.chunking = chunking }
        }
    }

    /// How many bytes may wait in the board; more is dropped, as a bridge without flow control does. Nil: no limit.
    public func setQueueLimit(_ bytes: Int?) {
        act { device in
            if let input { device.queues[input]?.limit = bytes }
        }
    }

    public func sendEmptyPacket() {
        act { device in
            if let input { device.sendEmptyPacket(on: input) }
        }
    }

    /// Halts the bulk IN endpoint until the host clears it.
    public func stallInput() {
        act { device in
            if let input { device.halt(input) }
        }
    }

    /// Halts the bulk OUT endpoint until the host clears it.
    public func stallOutput() {
        act { device in
            if let output { device.halt(output) }
        }
    }

    /// The next bulk IN transfer fails with an overflow (more bytes than it had room for).
    public func overflowNext() {
        act { device in
            device.overflowsNext = true
            if let input { device.pump(input) }
        }
    }

    /// All bulk IN transfers in flight fail, EPROTO by default: a bad cable, or the first moment of an unplugging.
    public func failInput(errno: Int32 = 71) {
        act { device in
            if let input { device.failTransfers(on: input, errno: errno) }
        }
    }

    /// Whether the board leaves bulk OUT data in flight (NAK) instead of taking it.
    public func setHoldsOutput(_ holds: Bool) {
        act { device in
            if holds { device.holdsOutput = true } else { device.takeOutput() }
        }
        deliver()
    }

    /// These bytes come in at the moment of the next cancels: the cancelled transfers carry them.
    public func arriveDuringCancel(_ bytes: [UInt8]) { act { $0.racesDiscard = bytes } }

    /// Class requests (bRequest: 0x20 set coding, 0x21 get coding, 0x22 line state) that stall from now on.
    public func stallRequests(_ requests: Set<UInt8>) { act { $0.control.stalled = requests } }

    /// Class requests that are never answered.
    public func ignoreRequests(_ requests: Set<UInt8>) { act { $0.control.unanswered = requests } }

    /// What GET_LINE_CODING says, whatever was set; nil: the truth.
    public func claimLineCoding(_ wire: [UInt8]?) { act { $0.control.claimedLineCoding = wire } }

    /// Another program takes an interface, or lets go of it.
    public func setAnotherProgram(holds interface: UInt8, _ holds: Bool = true) {
        act { device in
            if holds { _ = device.drivers.disconnect(interface) }
            device.drivers[interface] = holds ? .anotherProgram : .nobody
        }
    }

    /// How CONNECT refuses.
    public func setFailedConnect(_ answer: FailedConnect) { act { $0.drivers.failedConnect = answer } }

    /// An operation that fails with this errno from now on; nil: it works again.
    public func fail(_ operation: HostOperation, errno: Int32?) { act { $0.failures[operation] = errno } }
}

/// Operations of a host that can be made to fail.
public enum HostOperation: Sendable, CaseIterable {
    case claim, release, attach, detach, detachAndClaim, clearHalt, reset
    /// Of any transfer, control requests among them.
    case submit
    /// Of transfers on other endpoints than zero.
    case submitData

    /// Nil for requests that are no such operation, or whose operation is known only from what they carry.
    init?(request: UInt) {
        switch request {
        case NLOS_USBFS_CLAIMINTERFACE: self = .claim
        case NLOS_USBFS_RELEASEINTERFACE: self = .release
        case NLOS_USBFS_DISCONNECT_CLAIM: self = .detachAndClaim
        case NLOS_USBFS_CLEAR_HALT: self = .clearHalt
        case NLOS_USBFS_RESET: self = .reset
        case NLOS_USBFS_SUBMITURB: self = .submit
        default: return nil
        }
    }
}
