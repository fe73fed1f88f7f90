import CLibUDev
import CLinux
import EmulatedUSB
import Foundation

/// libudev with nothing in between.
final class PlainUdev {
    struct Device {
        let syspath: String
        let node: String?
        let driver: String?
        let attribute: (String) -> String?
    }

    let udev: OpaquePointer
    private let bus: EmulatedBus

    init(on bus: EmulatedBus) {
        self.bus = bus
        udev = udev_new()
    }

    deinit { udev_unref(udev) }

    /// In order of sysfs paths.
    func devices(subsystem: String = "usb", type: String? = "usb_device") -> [Device] {
        let enumerate = udev_enumerate_new(udev)
        defer { udev_enumerate_unref(enumerate) }
        udev_enumerate_add_match_subsystem(enumerate, subsystem)
        if let type { udev_enumerate_add_match_property(enumerate, "DEVTYPE", type) }
        udev_enumerate_scan_devices(enumerate)
        var found: [Device] = []
        var entry = udev_enumerate_get_list_entry(enumerate)
        while let current = entry {
            let device = udev_device_new_from_syspath(udev, udev_list_entry_get_name(current))
            defer { udev_device_unref(device) }
            let path = String(cString: udev_device_get_syspath(device))
            found.append(
                Device(
                    syspath: path, node: udev_device_get_devnode(device).map { String(cString: $0) },
                    driver: udev_device_get_driver(device).map { String(cString: $0) },
                    attribute: { [udev] name in
                        let device = udev_device_new_from_syspath(udev, path)
                        defer { udev_device_unref(device) }
                        return udev_device_get_sysattr_value(device, name).map { String(cString: $0) }
                    }))
            entry = udev_list_entry_get_next(current)
        }
        return found.sorted { $0.syspath < $1.syspath }
    }
}

/// What udev announces for USB and ttys, as `add 1-4`.
final class PlainMonitor {
    private let monitor: OpaquePointer
    private let udev: PlainUdev

    init(_ udev: PlainUdev) {
        self.udev = udev
        monitor = udev_monitor_new_from_netlink(udev.udev, "udev")
        udev_monitor_filter_add_match_subsystem_devtype(monitor, "usb", nil)
        udev_monitor_filter_add_match_subsystem_devtype(monitor, "tty", nil)
        udev_monitor_enable_receiving(monitor)
    }

    deinit { udev_monitor_unref(monitor) }

    /// Collects events until enough has come, or nothing came for five seconds.
    func events(until enough: ([String]) -> Bool) -> [String] {
        var seen: [String] = []
        while !enough(seen) {
            var descriptor = pollfd(fd: udev_monitor_get_fd(monitor), events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 5000) == 1, let device = udev_monitor_receive_device(monitor) else { return seen }
            defer { udev_device_unref(device) }
            seen.append("\(String(cString: udev_device_get_action(device))) \(String(cString: udev_device_get_sysname(device)))")
        }
        return seen
    }
}
