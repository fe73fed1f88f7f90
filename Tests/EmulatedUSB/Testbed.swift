internal import CUMockdev
internal import Foundation

/// Owner of the one umockdev testbed of this process (it lives in the environment variable `UMOCKDEV_DIR`, so children see it too).
final class Testbed: @unchecked Sendable {
    // The pointer is set once. The lock orders all calls that write files; attach and detach wait for umockdev's thread, which may
    // itself be waiting for that lock in a handler, so those two stay outside of it.
    private let testbed: OpaquePointer  // UMockdevTestbed
    private let files = NSLock()
    let root: String
    private let listeners: Listeners

    init() {
        testbed = umockdev_testbed_new()
        let name = umockdev_testbed_get_root_dir(testbed)!
        root = String(cString: name)
        listeners = Listeners(root: root)
        g_free(name)
        // Others may look in (a test plays an unprivileged user), as they may in the real /dev and /sys.
        chmod(root, 0o755)
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(testbed))
    }

    /// Adds a device described in umockdev's text format and announces it.
    func add(_ description: String) throws {
        try files.withLock {
            var error: OpaquePointer?
            var added: Int32 = 0
            listeners.withRoom { added = umockdev_testbed_add_from_string(testbed, description, &error) }
            guard added != 0 else {
                if let error { g_error_free(error) }
                throw BusFailure("umockdev does not understand:\n\(description)")
            }
        }
    }

    /// Announces that a device goes, and removes it. The path begins with `/sys`; `number` is the node's major and minor, as in `189:3`.
    func remove(_ syspath: String, number: String? = nil) {
        files.withLock {
            listeners.withRoom { umockdev_testbed_uevent(testbed, syspath, "remove") }
            umockdev_testbed_remove_device(testbed, syspath)
            // umockdev leaves this link behind, and cannot add the same number in another place then.
            if let number { unlink("\(root)/sys/dev/char/\(number)") }
        }
    }

    func announce(_ action: String, _ syspath: String) {
        files.withLock { listeners.withRoom { umockdev_testbed_uevent(testbed, syspath, action) } }
    }

    /// Points the `driver` link of an interface at a driver, or removes it.
    func setDriver(_ driver: String?, of syspath: String) {
        files.withLock {
            unlink(root + syspath + "/driver")
            guard let driver else { return }
            let up = String(repeating: "../", count: syspath.split(separator: "/").count - 1)
            umockdev_testbed_set_attribute_link(testbed, syspath, "driver", up + "bus/usb/drivers/" + driver)
        }
    }

    func linkNode(_ devnode: String, to target: String) throws {
        try files.withLock {
            let path = root + devnode
            try FileManager.default.createDirectory(atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            unlink(path)
            guard symlink(target, path) == 0 else { throw BusFailure("symlink \(path): errno \(errno)") }
        }
    }

    func removeNode(_ devnode: String) { files.withLock { _ = unlink(root + devnode) } }

    func attach(_ handler: OpaquePointer, to devnode: String) throws {
        var error: OpaquePointer?
        guard umockdev_testbed_attach_ioctl(testbed, devnode, handler, &error) != 0 else {
            if let error { g_error_free(error) }
            throw BusFailure("cannot answer ioctls of \(devnode)")
        }
        chmod(root + "/ioctl" + devnode, 0o777)
    }

    func detach(_ devnode: String) {
        var error: OpaquePointer?
        if umockdev_testbed_detach_ioctl(testbed, devnode, &error) == 0, let error { g_error_free(error) }
    }
}
