internal import CUMockdev

/// Who holds an interface.
public enum Holder: Equatable, Sendable {
    case nobody
    /// A kernel driver: `cdc_acm`, `usb-storage`.
    case kernel(String)
    /// A program, through this node: the descriptor that claimed it.
    case program(UInt)
    /// Another program, which is no part of the test and will not let go.
    case anotherProgram

    /// The driver's name as sysfs and GETDRIVER show it.
    var driverName: String? {
        switch self {
        case .nobody: nil
        case .kernel(let name): name
        case .program, .anotherProgram: "usbfs"
        }
    }
}

/// What CONNECT answers when no driver takes the interface. Linux releases differ in it; a program has to live with both.
public enum FailedConnect: Sendable {
    /// ENODEV on an interface that no driver wants, EBUSY where the driver's probe found its other interface taken.
    case fails
    /// Success with the value 0: "no driver was bound".
    case returnsZero
}

/// The binding of drivers to interfaces, with `cdc_acm` played by its rules: it binds through the control interface only, takes
/// the data interface along, and losing one it gives up the other.
struct InterfaceDrivers {
    private(set) var holders: [UInt8: Holder] = [:]
    private let ports: [SerialPort]
    private let storage: Set<UInt8>
    var failedConnect = FailedConnect.fails

    init(_ model: BoardModel) {
        ports = model.serialPorts
        storage = Set(model.interfaces.filter { $0.triple[0] == 8 }.map(\.number))
        for interface in model.interfaces { holders[interface.number] = .nobody }
        for number in holders.keys.sorted() { _ = connect(number) }
    }

    subscript(number: UInt8) -> Holder? {
        get { holders[number] }
        set { holders[number] = newValue }
    }

    func claimed(by client: ClientID) -> [UInt8] { holders.filter { $0.value == .program(client) }.keys.sorted() }

    enum Claim {
        case fresh, already
        case refused(Int32)
    }

    mutating func claim(_ number: UInt8, by client: ClientID) -> Claim {
        switch holders[number] {
        case nil: return .refused(ENOENT)
        case .program(client): return .already
        case .nobody:
            holders[number] = .program(client)
            return .fresh
        default: return .refused(EBUSY)
        }
    }

    mutating func release(_ number: UInt8, by client: ClientID) -> Bool {
        guard holders[number] == .program(client) else { return false }
        holders[number] = .nobody
        return true
    }

    /// Takes whatever driver is there off the interface. False: there was none.
    mutating func disconnect(_ number: UInt8) -> Bool {
        guard let holder = holders[number], holder != .nobody else { return false }
        holders[number] = .nobody
        if holder == .kernel("cdc_acm"), let port = ports.first(where: { $0.control == number || $0.data == number }) {
            holders[port.control] = .nobody
            holders[port.data] = .nobody
        }
        return true
    }

    enum Connection: Equatable { case bound, noDriver, probeFailed, alreadyBound }

    /// Looks for a driver, as the kernel does when asked to.
    mutating func connect(_ number: UInt8) -> Connection {
        guard holders[number] == .nobody else { return .alreadyBound }
        if let port = ports.first(where: { $0.control == number }) {
            guard holders[port.data] == .nobody else { return .probeFailed }
            holders[port.control] = .kernel("cdc_acm")
            holders[port.data] = .kernel("cdc_acm")
            return .bound
        }
        guard storage.contains(number) else { return .noDriver }
        holders[number] = .kernel("usb-storage")
        return .bound
    }
}
