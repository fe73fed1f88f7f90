import EmulatedUSB
import Foundation
import Testing
import TransientSensor

extension EmulatedBusSuite {
    /// `nlos-bridge validate` on an emulated board with the emulated firmware behind it.
    @Suite struct ProgramValidate {
        let bus = EmulatedBus()

        private static let serial = "066EFF373535503457062922"

        /// A folder that whoever runs the program may write to, and the diagnostic in it.
        private final class Export {
            private let folder = FileManager.default.temporaryDirectory.appending(path: "nlos-validate-\(UUID().uuidString)")
            var file: String { folder.appending(path: "wall.json").path() }

            init() throws {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path())
            }

            deinit { try? FileManager.default.removeItem(at: folder) }

            var arguments: [String] {
                ["validate", "--yes", "--shortened", "--json", "--export", file, "--consent-export"]
            }

            /// The one line of standard output, and the file, are the same diagnostic; it names neither the board nor its place.
            func diagnostic(_ run: ChildProgram.Progress) throws -> [String: Any] {
                let bytes = try Data(contentsOf: URL(filePath: file))
                #expect(Data(run.stdout) == bytes)
                // Its random name may hold any few letters.
                let text = String(decoding: bytes, as: UTF8.self).replacing(/"sessionId":"[^"]*"/, with: "").lowercased()
                for secret in [ProgramValidate.serial, String(ProgramValidate.serial.suffix(8)), "usb:", "1-4", "tty", "/dev", "stlink"] {
                    #expect(!text.contains(secret.lowercased()), "\(secret)")
                }
                let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                let objects = try BuiltProgram.objects(run)
                #expect(objects.count == 1)
                return try #require(objects.first)
            }
        }

        @Test("a shortened run meets every check on a board, is live, and hands the board back") func shortened() throws {
            let export = try Export()
            let board = try bus.plug(.stlinkV21, serial: SerialNumber(stringLiteral: Self.serial))
            let firmware = FirmwareOnBoard(on: board)
            let run = try BuiltProgram.run(export.arguments)
            firmware.stop()
            #expect(run.ending == .exited(1), "\(run.errorText)")
            let diagnostic = try export.diagnostic(run)
            #expect(diagnostic["completionStatus"] as? String == "cancelled")
            #expect((diagnostic["failureReason"] as? String)?.hasPrefix("Shortened") == true)
            #expect(diagnostic["sensorModelFamily"] as? String == "VL53L8CH")
            #expect(diagnostic["usbPermission"] as? String == "granted")
            let phases = try #require(diagnostic["phases"] as? [[String: Any]])
            #expect(phases.count == 2 && phases.allSatisfy { $0["averageDepthCoverage"] as? Double == 1 })
            #expect(run.errorText.contains("SHORTENED calibration") && !run.errorText.contains("SYNTHETIC"))
            // It was told its light setting, and nothing but its port was touched.
            #expect(board.log.written.count == 26 && board.status.onlyPortTouched)
            #expect(board.wait { $0.openDescriptors == 0 } && board.status.kernelHasPort, "\(board.log.actions)")
        }

        @Test("pulling the cable in mid-run is sensor_disconnected, with what there was", arguments: UnplugOrder.allCases)
        func unplugged(order: UnplugOrder) throws {
            let export = try Export()
            let board = try bus.plug(.stlinkV21, serial: SerialNumber(stringLiteral: Self.serial))
            let firmware = FirmwareOnBoard(on: board)
            let program = try BuiltProgram.start(export.arguments)
            #expect(program.wait(.seconds(30)) { $0.errorText.contains("coverage") })
            bus.unplug(board, order: order)
            let run = program.finish(.seconds(40))
            firmware.stop()
            #expect(run.ending == .exited(1), "\(run.errorText)")
            #expect(run.errorText.contains("failed: sensor_disconnected"), "\(run.errorText)")
            let diagnostic = try export.diagnostic(run)
            #expect(diagnostic["completionStatus"] as? String == "failed")
            #expect(diagnostic["failureReason"] as? String == "The sensor was unplugged.")
            #expect((diagnostic["phases"] as? [Any])?.count == 1)
        }

        @Test("a board that only root may open is refused permission, and stays the kernel's") func denied() throws {
            let export = try Export()
            let board = try bus.plug(.stlinkV21, serial: SerialNumber(stringLiteral: Self.serial))
            board.setNodeMode(0o600)
            let run = try BuiltProgram.run(export.arguments, asNobody: true)
            #expect(run.ending == .exited(4), "\(run.errorText)")
            #expect(run.errorText.contains("next: "))
            let diagnostic = try export.diagnostic(run)
            #expect(diagnostic["completionStatus"] as? String == "failed")
            #expect(diagnostic["failureReason"] as? String == "The sensor could not be opened: permission denied.")
            #expect(diagnostic["usbPermission"] as? String == "denied")
            #expect((diagnostic["phases"] as? [Any])?.isEmpty == true)
            #expect(board.log.actions.isEmpty && board.status.kernelHasPort)
        }
    }
}
