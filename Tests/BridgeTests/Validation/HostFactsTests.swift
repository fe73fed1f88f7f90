import Foundation
import NLOSCore
import Testing

@testable import bridge

/// What the machine's own files say, from a folder of this test.
final class HostFactsTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: root) }

    private func write(_ text: String, to path: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private var host: HostFacts { HostFacts(root: root.path()) }

    static let temperatures: [([String], ThermalState)] = [
        ([], .unknown), (["42000\n"], .nominal), (["64999"], .nominal), (["65000"], .fair), (["79999"], .fair), (["80000"], .serious),
        (["94999"], .serious), (["95000"], .critical), (["30000", "96000", "41000"], .critical), (["-5000"], .nominal),
        (["nonsense"], .unknown), (["", "70000"], .fair), ([String(repeating: "9", count: 40)], .unknown),
        (["99999999999999999"], .critical),
    ]

    @Test("The hottest zone counts, coarsely", arguments: temperatures)
    func thermal(zones: [String], state: ThermalState) throws {
        try write("1000000", to: "sys/class/thermal/cooling_device0/temp")
        for (index, zone) in zones.enumerated() { try write(zone, to: "sys/class/thermal/thermal_zone\(index)/temp") }
        #expect(host.thermal == state)
    }

    @Test func nothingIsKnownOfAnEmptyMachine() {
        #expect(host.thermal == .unknown)
        #expect(host.system.text.hasPrefix("linux"))
    }

    @Test func theDistributionIsNamedByIdAndNumber() throws {
        try write(
            "PRETTY_NAME=\"Lab PC of A. Tester\"\nNAME=\"x\"\nID=debian\nVERSION_ID=\"12\"\nHOME_URL=\"https://x/\"\n", to: "etc/os-release"
        )
        #expect(host.system.text.hasPrefix("debian 12, kernel "))
        #expect(!host.system.text.contains("Lab"))
    }
}
