import Foundation
import Testing
import TransientSensor

/// The udev rules as text: what can be said of them without a udev.
struct RulesFileTests {
    let lines: [String]

    init() throws {
        lines = try String(contentsOf: RulesFile.url, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    /// After 60-serial.rules (serial number, path) and before 73-seat-late.rules (which turns uaccess into access).
    @Test func numberIsBetweenSerialAndSeat() throws {
        let number = try #require(Int(RulesFile.url.lastPathComponent.prefix(2)))
        #expect((61..<73).contains(number))
    }

    @Test func grantsThroughTheSeatAndNothingElse() {
        #expect(lines.contains { $0.contains(#"TAG+="uaccess""#) })
        #expect(!lines.contains { $0.contains("GROUP=") || $0.contains("GROUP:=") })
        #expect(!lines.contains { $0.contains("MODE=") || $0.contains("MODE:=") })
        #expect(!lines.contains { $0.contains("RUN") || $0.contains("PROGRAM") })
    }

    @Test(arguments: RulesFile.ids)
    func oneLineEachForTheDeviceAndItsPort(id: RulesFile.Id) {
        let device = lines.filter {
            $0.hasPrefix(
                #"SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="\#(id.vendor)", ATTR{idProduct}=="\#(id.product)""#)
        }
        let port = lines.filter {
            $0.hasPrefix(#"SUBSYSTEM=="tty", ATTRS{idVendor}=="\#(id.vendor)", ATTRS{idProduct}=="\#(id.product)""#)
        }
        #expect(device.count == 1)
        #expect(port.count == 1)
    }

    @Test func idsAreLowerCaseAndComplete() {
        let ids = Set(
            lines.compactMap {
                $0.firstMatch(of: /ATTRS?\{idVendor\}=="([^"]*)", ATTRS?\{idProduct\}=="([^"]*)"/)
                    .map { RulesFile.Id(vendor: String($0.1), product: String($0.2)) }
            })
        #expect(ids == Set(RulesFile.ids))
    }

    @Test(.enabled(if: RulesFile.udevadmVerifies, "needs udevadm 254 or newer"))
    func udevFindsNothingToSay() throws {
        let verdict = try Command("udevadm", ["verify", RulesFile.url.path()])
        #expect(verdict.status == 0, "\(verdict.output)")
    }
}

enum RulesFile {
    static let url = packageRoot.appending(path: "udev/70-nlos-bridge.rules")

    struct Id: Hashable, Sendable {
        let vendor, product: String
    }

    /// The boards that the program reads, whatever sketch some of them run.
    static let ids = KnownBoard.all.filter { $0.kind == .sensorBoard || $0.kind == .sketchBoard }.map {
        Id(vendor: digits($0.vendorId), product: digits($0.productId))
    }

    private static func digits(_ id: UInt16) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    static let udevadmVerifies: Bool = {
        guard let version = try? Command("udevadm", ["--version"]).output, let number = Int(version.prefix { $0.isNumber }) else {
            return false
        }
        return number >= 254
    }()
}
