import CLibUDev
import Glibc

/// The udev library: owner of its context.
final class UDev {
    private let handle: OpaquePointer  // struct udev

    init() throws(SensorError) {
        guard let handle = udev_new() else { throw .system(path: "udev", operation: "udev_new", errno: errno) }
        self.handle = handle
    }

    deinit { udev_unref(handle) }

    /// Whether the daemon runs. It leaves its database behind when it ends, and its socket not.
    static func runs(in folder: String = "/run/udev") -> Bool { KernelFiles.exists("\(folder)/control") }

    /// Devices of a subsystem, below `parent` where one is given, in the order of their sysfs paths.
    func devices(subsystem: String, below parent: UDevDevice? = nil) throws(SensorError) -> [UDevDevice] {
        guard let query = udev_enumerate_new(handle) else {
            throw .system(path: "udev", operation: "udev_enumerate_new", errno: errno)
        }
        defer { udev_enumerate_unref(query) }
        udev_enumerate_add_match_subsystem(query, subsystem)
        if let parent { parent.match(in: query) }
        // A negative errno: a tree that is not there (a container without sysfs) holds no devices.
        guard udev_enumerate_scan_devices(query) >= 0 else { return [] }
        var found: [UDevDevice] = []
        var entry = udev_enumerate_get_list_entry(query)
        while let current = entry {
            // A device that went away since the scan has no object any more.
            if let path = udev_list_entry_get_name(current), let device = udev_device_new_from_syspath(handle, path) {
                found.append(UDevDevice(takingOwnership: device))
            }
            entry = udev_list_entry_get_next(current)
        }
        return found
    }

    /// Plug events of these subsystems from here on.
    func monitor(subsystems: [String]) throws(SensorError) -> UDevMonitor {
        // Without a udev daemon nobody repeats the kernel's events, so they are taken from the kernel itself.
        let group = Self.runs() ? "udev" : "kernel"
        guard let monitor = udev_monitor_new_from_netlink(handle, group) else {
            throw .system(path: "udev", operation: "udev_monitor_new_from_netlink", errno: errno)
        }
        return try UDevMonitor(takingOwnership: monitor, subsystems: subsystems)
    }
}

/// One device of the udev database.
final class UDevDevice {
    private let handle: OpaquePointer  // struct udev_device

    fileprivate init(takingOwnership handle: OpaquePointer) { self.handle = handle }

    deinit { udev_device_unref(handle) }

    var sysPath: String { text(udev_device_get_syspath(handle)) ?? "" }
    var sysName: String { text(udev_device_get_sysname(handle)) ?? "" }
    var deviceType: String? { text(udev_device_get_devtype(handle)) }
    var node: String? { text(udev_device_get_devnode(handle)) }
    var driver: String? { text(udev_device_get_driver(handle)) }
    /// Of an event: `add`, `remove`, `change`, `bind`, `unbind`.
    var action: String? { text(udev_device_get_action(handle)) }

    func property(_ name: String) -> String? { text(udev_device_get_property_value(handle, name)) }
    func attribute(_ name: String) -> String? { text(udev_device_get_sysattr_value(handle, name)) }

    /// Of an interface: its number, which the kernel writes in hexadecimal.
    var interfaceNumber: UInt8? { attribute("bInterfaceNumber").flatMap { UInt8($0, radix: 16) } }

    /// The USB interface above a tty.
    var interface: UDevDevice? {
        // The parent is the child's to free, so it is counted once more.
        guard let parent = udev_device_get_parent_with_subsystem_devtype(handle, "usb", "usb_interface") else { return nil }
        return udev_device_ref(parent).map(UDevDevice.init(takingOwnership:))
    }

    fileprivate func match(in query: OpaquePointer) { udev_enumerate_add_match_parent(query, handle) }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}

/// A socket on which plug events arrive.
final class UDevMonitor {
    private let handle: OpaquePointer  // struct udev_monitor

    fileprivate init(takingOwnership handle: OpaquePointer, subsystems: [String]) throws(SensorError) {
        self.handle = handle
        for subsystem in subsystems { udev_monitor_filter_add_match_subsystem_devtype(handle, subsystem, nil) }
        let result = udev_monitor_enable_receiving(handle)
        guard result >= 0 else { throw .system(path: "udev", operation: "udev_monitor_enable_receiving", errno: -result) }
    }

    deinit { udev_monitor_unref(handle) }

    /// Readable while events wait.
    var descriptor: CInt { udev_monitor_get_fd(handle) }

    enum Event {
        case device(UDevDevice)
        /// The socket ran over, or what came was no event: something may have happened that nobody tells.
        case missed
        case none
    }

    /// The next event. Never blocks.
    func next() -> Event {
        errno = 0
        if let device = udev_monitor_receive_device(handle) { return .device(UDevDevice(takingOwnership: device)) }
        return errno == EAGAIN || errno == 0 ? .none : .missed
    }
}
