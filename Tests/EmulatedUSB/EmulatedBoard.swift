internal import CUMockdev
internal import Foundation

/// A board on the emulated bus, from one plugging in to the unplugging. Every method may be called from any thread.
///
/// Pull it out with `EmulatedBus.unplug`; `EmulatedBus.plug` again is the same board on another device number.
public final class EmulatedBoard: Sendable {
    public let model: BoardModel
    public let serial: SerialNumber
    /// Where it is: port, bus and device number.
    public let place: BusPlace

    struct State {
        var core: DeviceCore
        var usbfs = Usbfs()
        var clients: Set<ClientID> = []
        var hook: (@Sendable ([UInt8]) -> Void)?
        /// The ttys that exist, by control interface.
        var ttys: [UInt8: KernelTTY] = [:]
        /// Driver names as sysfs shows them.
        var shown: [UInt8: String] = [:]

        var status: BoardStatus { BoardStatus(core, openDescriptors: clients.count) }
    }

    private let state: Watched<State>
    private let node: Node
    private let sysfs: BoardSysfs
    /// Held while the firmware's hook runs, so that it sees bytes in order.
    private let deliveries = NSLock()

    init(_ model: BoardModel, serial: SerialNumber, place: BusPlace, sysfs: BoardSysfs, capabilities: UInt32) throws {
        self.model = model
        self.serial = serial
        self.place = place
        self.sysfs = sysfs
        node = try Node()
        state = Watched(State(core: DeviceCore(model: model, serial: serial, capabilities: capabilities)))
    }

    var syspath: String { sysfs.syspath }

    // MARK: Looking

    public var status: BoardStatus { state.read(\.status) }
    public var log: HostLog { state.read(\.core.log) }
    public func clearLog() { state.change { $0.core.log = HostLog() } }

    /// Waits until the board's status is as wanted. False when the time is over first.
    public func wait(_ limit: Duration = .seconds(10), until wanted: (BoardStatus) -> Bool) -> Bool {
        state.wait(limit) { wanted($0.status) }
    }

    /// Names of the ttys that the kernel driver offers now, as in `ttyACM0`.
    public var ttys: [String] { state.read { $0.ttys.sorted { $0.key < $1.key }.map(\.value.name) } }

    // MARK: Acting

    /// Changes the device and lets the consequences follow: node readiness and sysfs.
    func act<Result>(_ body: (inout DeviceCore) -> Result) -> Result {
        state.change { state in
            defer { settle(&state) }
            return body(&state.core)
        }
    }

    /// Every write of the host goes to this closure, in order, on another thread. It may call `feed`.
    public func onHostBytes(_ hook: @escaping @Sendable ([UInt8]) -> Void) { state.change { $0.hook = hook } }

    private func settle(_ state: inout State) {
        node.setReady(state.core.hasCompleted)
        guard !state.core.gone else { return }
        sysfs.show(state.core.drivers, ports: model.serialPorts, shown: &state.shown, ttys: &state.ttys)
    }

    /// Gives the firmware what the host wrote. Never called from within the hook.
    func deliver() {
        deliveries.withLock {
            let (bytes, hook) = state.change { state in
                defer { state.core.output = [] }
                return (state.core.output, state.hook)
            }
            if !bytes.isEmpty { hook?(bytes) }
        }
    }

    /// Permission bits of the node, as in 0o660. Meant together with `EmulatedBus.asNobody`.
    public func setNodeMode(_ mode: UInt32) { node.setMode(mode) }

    // MARK: Plugging, by the bus

    func appear() throws {
        try state.change { state in
            try sysfs.add(model, serial: serial, drivers: state.core.drivers, node: node.path)
            for (number, holder) in state.core.drivers.holders { state.shown[number] = holder.driverName }
            state.ttys = try sysfs.addTTYs(model.serialPorts, drivers: state.core.drivers)
        }
    }

    func pull(_ order: UnplugOrder) {
        let ttys = state.change { state in
            state.core.unplug()
            if order == .transfersFirst { node.hangUp() }
            defer { state.ttys = [:] }
            return state.ttys
        }
        sysfs.remove(ttys: ttys, interfaces: model.interfaces)
        if order == .announcementFirst { node.hangUp() }
    }
}

/// What a host notices first when a board is pulled out; both happen.
public enum UnplugOrder: Sendable, CaseIterable {
    /// The transfers in flight fail, then udev says so.
    case transfersFirst
    /// udev announces it while transfers still look alive.
    case announcementFirst
}

extension EmulatedBoard: IoctlResponder {
    func opened(_ client: ClientID) {
        state.change { state in
            state.clients.insert(client)
            state.core.open(client)
        }
    }

    func closed(_ client: ClientID) {
        state.change { state in
            state.clients.remove(client)
            state.core.close(client)
            state.usbfs.forget(client)
            settle(&state)
        }
    }

    func answer(_ call: IoctlCall) {
        let result = state.change { state in
            let result = state.usbfs.answer(call, &state.core)
            settle(&state)
            return result
        }
        deliver()
        call.finish(result)
    }
}
