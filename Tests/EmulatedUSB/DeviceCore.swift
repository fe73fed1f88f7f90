internal import CUMockdev

/// What an ioctl returns: a value, or -1 and errno.
enum IoctlResult: Equatable {
    case value(Int)
    case failed(Int32)

    static let done = IoctlResult.value(0)
}

/// The kernel's usbfs and the device behind it, as one value: requests in, results out. It touches neither memory of the host
/// program nor files, so every rule can be read (and tested) here.
struct DeviceCore {
    let model: BoardModel
    let interfaces: [BoardInterface]
    var drivers: InterfaceDrivers
    var control: ControlRequests
    var log = HostLog()
    var capabilities: UInt32
    var gone = false

    var queues: [UInt8: PacketQueue] = [:]
    var halted: Set<UInt8> = []
    /// The next bulk IN transfer fails with EOVERFLOW.
    var overflowsNext = false
    /// The device does not take bulk OUT data: writes stay in flight.
    var holdsOutput = false
    /// Bytes that arrive in the very moment of a cancel, after the host decided and before the kernel acted.
    var racesDiscard: [UInt8] = []
    /// Operations that fail, with their errno.
    var failures: [HostOperation: Int32] = [:]
    /// Bytes from the host that the firmware has not seen yet.
    var output: [UInt8] = []

    /// In flight, by endpoint (0 for control requests), oldest first.
    var pending: [UInt8: [Urb]] = [:]
    /// Waiting to be fetched.
    var completed: [ClientID: [Urb]] = [:]
    /// Endpoints where the rest of a cut-up transfer is refused, because an earlier piece failed.
    var refusesContinuation: [ClientID: Set<UInt8>] = [:]

    init(model: BoardModel, serial: SerialNumber, capabilities: UInt32) {
        self.model = model
        interfaces = model.interfaces
        drivers = InterfaceDrivers(model)
        control = ControlRequests(model: model, serial: serial)
        self.capabilities = capabilities
        for endpoint in interfaces.flatMap(\.endpoints) where endpoint.isIn {
            queues[endpoint.address] = PacketQueue(packetSize: endpoint.packetSize)
        }
    }

    /// Whether some descriptor has a completed transfer to fetch.
    var hasCompleted: Bool { completed.values.contains { !$0.isEmpty } }
    var toFetch: Int { completed.values.reduce(0) { $0 + $1.count } }
    var inFlight: Int { pending.values.reduce(0) { $0 + $1.count } }
    func inFlight(on endpoint: UInt8) -> Int { pending[endpoint]?.count ?? 0 }

    // MARK: Opening and interfaces

    mutating func open(_ client: ClientID) {
        completed[client] = []
        log.actions.append(.opened)
    }

    mutating func close(_ client: ClientID) {
        for endpoint in pending.keys { pending[endpoint]?.removeAll { $0.client == client } }
        completed[client] = nil
        refusesContinuation[client] = nil
        for number in drivers.claimed(by: client) where drivers.release(number, by: client) { log.actions.append(.released(number)) }
        log.actions.append(.closed)
    }

    mutating func claim(_ number: UInt8, by client: ClientID) -> IoctlResult {
        log.touched.insert(number)
        switch drivers.claim(number, by: client) {
        case .already: return .done
        case .fresh:
            log.actions.append(.claimed(number))
            return .done
        case .refused(let errno):
            log.actions.append(.claimRefused(number, errno: errno))
            return .failed(errno)
        }
    }

    mutating func release(_ number: UInt8, by client: ClientID) -> IoctlResult {
        guard drivers.release(number, by: client) else { return .failed(EINVAL) }
        log.actions.append(.released(number))
        return .done
    }

    mutating func disconnect(_ number: UInt8) -> IoctlResult {
        guard let holder = drivers[number] else { return .failed(EINVAL) }
        log.touched.insert(number)
        if holder == .anotherProgram { return .failed(EBUSY) }
        guard drivers.disconnect(number) else { return .failed(ENODATA) }
        log.actions.append(.detached(number))
        return .done
    }

    /// Detach and claim in one step. `driver` is spared (or alone meant), as `flags` says.
    mutating func disconnectAndClaim(_ number: UInt8, driver: String, flags: UInt32, by client: ClientID) -> IoctlResult {
        guard let holder = drivers[number] else { return .failed(EINVAL) }
        if let name = holder.driverName {
            let same = name == driver
            let spared = flags & 2 != 0 && same || flags & 1 != 0 && !same  // EXCEPT_DRIVER, IF_DRIVER
            if spared {
                log.actions.append(.claimRefused(number, errno: EBUSY))
                return .failed(EBUSY)
            }
            let result = disconnect(number)
            guard result == .done else { return result }
        }
        return claim(number, by: client)
    }

    mutating func connect(_ number: UInt8) -> IoctlResult {
        guard drivers[number] != nil else { return .failed(EINVAL) }
        log.touched.insert(number)
        let connection = drivers.connect(number)
        if connection == .bound {
            if control.lineCodings[number] != nil { control.lineCodings[number] = .kernelDefault }
            log.actions.append(.attached(number))
            return .value(1)
        }
        log.actions.append(.attachFailed(number))
        switch (connection, drivers.failedConnect) {
        case (.alreadyBound, _), (.probeFailed, .fails): return .failed(EBUSY)
        case (.noDriver, .fails): return .failed(ENODEV)
        default: return .value(0)
        }
    }

    /// The kernel lets a program use an interface that nobody has, by claiming it silently.
    mutating func use(_ number: UInt8, by client: ClientID) -> Int32? {
        log.touched.insert(number)
        switch drivers.claim(number, by: client) {
        case .already: return nil
        case .fresh:
            log.actions.append(.claimedImplicitly(number))
            return nil
        case .refused(let errno): return errno
        }
    }

    func interface(of endpoint: UInt8) -> UInt8? {
        interfaces.first { $0.endpoints.contains { $0.address == endpoint } }?.number
    }

    // MARK: Whole-device requests

    mutating func clearHalt(_ endpoint: UInt8, by client: ClientID) -> IoctlResult {
        guard let number = interface(of: endpoint) else { return .failed(ENOENT) }
        if let errno = use(number, by: client) { return .failed(errno) }
        log.actions.append(.clearedHalt(endpoint: endpoint))
        halted.remove(endpoint)
        pump(endpoint)
        return .done
    }

    mutating func reset() -> IoctlResult {
        log.actions.append(.reset)
        control.forgetLineCodings()
        halted = []
        return .done
    }

    mutating func setInterface(_ number: UInt8, alternate: UInt8, by client: ClientID) -> IoctlResult {
        if let errno = use(number, by: client) { return .failed(errno) }
        log.actions.append(.setInterface(number, alternate: alternate))
        return alternate == 0 ? .done : .failed(EINVAL)
    }

    mutating func setConfiguration(_ value: Int32) -> IoctlResult {
        log.actions.append(.setConfiguration(value))
        return drivers.holders.values.contains { $0 != .nobody } ? .failed(EBUSY) : .done
    }

    /// A control request outside of the URB queue.
    mutating func controlRequest(_ setup: Setup, _ data: [UInt8], by client: ClientID) -> (IoctlResult, [UInt8]) {
        if setup.isForInterface, let errno = use(UInt8(truncatingIfNeeded: setup.index), by: client) { return (.failed(errno), []) }
        switch control.answer(setup, data, &log) {
        case .data(let bytes):
            let clipped = Array(bytes.prefix(Int(setup.length)))
            return (.value(clipped.count), clipped)
        case .accepted: return (.value(data.count), [])
        case .stall: return (.failed(EPIPE), [])
        case .silence: return (.failed(ETIMEDOUT), [])
        }
    }
}
