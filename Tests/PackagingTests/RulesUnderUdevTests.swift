import Foundation
import Testing

/// The rules as udev itself reads them, with the system's own rules before and after: a probe in a made-up sysfs, in a
/// mount namespace of its own, so that neither this machine's devices nor its /dev are touched.
@Suite(.enabled(if: FakeProbe.canRun, "needs udevadm and unprivileged mount namespaces"))
struct RulesUnderUdevTests {
    @Test(arguments: RulesFile.ids)
    func deviceIsGrantedAndLeftAlone(id: RulesFile.Id) throws {
        let probe = try FakeProbe(vendorId: id.vendor, productId: id.product, serial: "066EFF373535503457062922")
        let verdict = try probe.verdict(of: .device)
        #expect(verdict.contains("ID_NLOS_BRIDGE=1"))
        #expect(verdict.contains("ID_MM_DEVICE_IGNORE=1"))
        #expect(verdict.contains("run: 'uaccess'"), "the seat's rules came too early or not at all")
        #expect(verdict.contains("/dev/nlos-bridge/usb-066EFF373535503457062922"))
        #expect(try probe.staysAwake())
    }

    @Test(arguments: RulesFile.ids)
    func portIsGrantedAndLeftAlone(id: RulesFile.Id) throws {
        let probe = try FakeProbe(vendorId: id.vendor, productId: id.product, serial: "066EFF373535503457062922")
        let verdict = try probe.verdict(of: .port)
        #expect(verdict.contains("ID_NLOS_BRIDGE=1"))
        #expect(verdict.contains("ID_MM_PORT_IGNORE=1"))
        #expect(verdict.contains("run: 'uaccess'"))
        #expect(verdict.contains("/dev/nlos-bridge/tty-066EFF373535503457062922-02"))
    }

    /// An absent serial number, raw bytes of an old probe, and characters that could leave the folder.
    @Test(arguments: [nil, "\u{1}\u{1b}]0;x", "a,b"])
    func namesFallBackToThePath(serial: String?) throws {
        let probe = try FakeProbe(productId: "374b", serial: serial)
        #expect(try probe.verdict(of: .device).contains("/dev/nlos-bridge/usb-pci-0000:00:14.0-usb-0:4"))
        #expect(try probe.verdict(of: .port).contains("/dev/nlos-bridge/tty-pci-0000:00:14.0-usb-0:4:1.2"))
    }

    /// A probe without a serial port, and a board of another make with the same product number.
    @Test(arguments: [("0483", "3748"), ("0483", "5740"), ("1209", "374b")])
    func othersAreNoneOfOurBusiness(vendorId: String, productId: String) throws {
        let probe = try FakeProbe(vendorId: vendorId, productId: productId, serial: "1")
        for node in [FakeProbe.Node.device, .port] {
            let verdict = try probe.verdict(of: node)
            #expect(verdict.contains("ID_VENDOR_ID=\(vendorId)"), "udev did not see the device at all")
            #expect(!verdict.contains("ID_NLOS_BRIDGE"))
            #expect(!verdict.contains("nlos-bridge/"))
        }
        #expect(try !probe.staysAwake())
    }
}

/// A debug probe with one serial port, as files of a sysfs.
final class FakeProbe {
    enum Node: String {
        case device = ""
        case port = "/1-4:1.2/tty/ttyACM0"
    }

    static let canRun =
        Command.exists("udevadm") && Command.exists("unshare")
        && (try? Command("unshare", ["--user", "--map-root-user", "--mount", "true"]).status) == 0

    private static let controller = "devices/pci0000:00/0000:00:14.0"
    private static let device = "\(controller)/usb1/1-4"
    private let folder: TemporaryFolder

    init(vendorId: String = "0483", productId: String, serial: String?) throws {
        folder = try TemporaryFolder()
        try file("\(Self.controller)/uevent", "DRIVER=xhci_hcd\nPCI_ID=8086:A36D\n")
        try link("\(Self.controller)/subsystem", to: "bus/pci")
        try file("\(Self.controller)/usb1/uevent", "DEVTYPE=usb_device\nDRIVER=usb\nBUSNUM=001\nDEVNUM=001\n")
        try link("\(Self.controller)/usb1/subsystem", to: "bus/usb")

        let product = "PRODUCT=\(vendorId)/\(productId)/100\nTYPE=239/2/1\n"
        try file(
            "\(Self.device)/uevent",
            "MAJOR=189\nMINOR=3\nDEVNAME=bus/usb/001/004\nDEVTYPE=usb_device\nDRIVER=usb\n\(product)BUSNUM=001\nDEVNUM=004\n")
        try file("\(Self.device)/dev", "189:3\n")
        try link("\(Self.device)/subsystem", to: "bus/usb")
        try file("\(Self.device)/power/control", "auto")
        for (name, value) in ["idVendor": vendorId, "idProduct": productId, "bcdDevice": "0100", "serial": serial] {
            if let value { try file("\(Self.device)/\(name)", value + "\n") }
        }

        let interface = "\(Self.device)/1-4:1.2"
        try file("\(interface)/uevent", "DEVTYPE=usb_interface\nDRIVER=cdc_acm\n\(product)INTERFACE=2/2/1\n")
        try link("\(interface)/subsystem", to: "bus/usb")
        for (name, value) in [("Number", "02"), ("Class", "02"), ("SubClass", "02"), ("Protocol", "01")] {
            try file("\(interface)/bInterface\(name)", value + "\n")
        }
        try file("\(interface)/tty/ttyACM0/uevent", "MAJOR=166\nMINOR=0\nDEVNAME=ttyACM0\n")
        try file("\(interface)/tty/ttyACM0/dev", "166:0\n")
        try link("\(interface)/tty/ttyACM0/subsystem", to: "class/tty")

        try folder.write("", to: "dev/null")
        try folder.write(try String(contentsOf: RulesFile.url, encoding: .utf8), to: "run/udev/rules.d/\(RulesFile.url.lastPathComponent)")
    }

    /// What udev says when the node is added: properties, links and what it would run.
    func verdict(of node: Node) throws -> String {
        let root = folder.url.path()
        // The mounts end with the process. udev insists on a real sysfs unless it is told otherwise.
        let script = """
            mount --bind /dev/null \(root)/dev/null && mount --rbind \(root)/dev /dev && mount --bind \(root)/run /run &&
            mount --bind \(root)/sys /sys && exec udevadm test --action=add '/sys/\(Self.device)\(node.rawValue)'
            """
        var environment = ProcessInfo.processInfo.environment
        environment["SYSTEMD_DEVICE_VERIFY_SYSFS"] = "0"
        return try Command("unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", script], environment: environment).output
    }

    /// Whether the rules switched autosuspend off. A plain file keeps the tail of what a shorter write covers.
    func staysAwake() throws -> Bool {
        try String(contentsOf: folder.url.appending(path: "sys/\(Self.device)/power/control"), encoding: .utf8).hasPrefix("on")
    }

    private func file(_ path: String, _ text: String) throws { try folder.write(text, to: "sys/\(path)") }

    private func link(_ path: String, to target: String) throws {
        let up = String(repeating: "../", count: path.split(separator: "/").count - 1)
        let sys = folder.url.appending(path: "sys")
        try FileManager.default.createDirectory(at: sys.appending(path: target), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: sys.appending(path: path).path(), withDestinationPath: up + target)
    }
}
