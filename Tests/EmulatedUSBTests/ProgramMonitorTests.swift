import EmulatedUSB
import Foundation
import Testing

extension EmulatedBusSuite {
    /// `nlos-bridge monitor --paired` beside an emulated board. No server answers: the sensor is looked after all the same.
    @Suite struct ProgramMonitor {
        let bus = EmulatedBus()

        private static let url = "wss://127.0.0.1:1/api/v1/nlos/ws"

        /// A folder as a service manager hands it over, with a token for a server that is not there.
        private func credentials() throws -> String {
            let folder = FileManager.default.temporaryDirectory.appending(path: "monitor-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let token = Data("no-secret:a-token-for-a-server-that-is-not-there".utf8)
            let file = folder.appending(path: "nlos-bridge.127.0.0.1+1").path()
            #expect(FileManager.default.createFile(atPath: file, contents: token, attributes: [.posixPermissions: 0o400]))
            return folder.path()
        }

        /// The sensor's states in the order in which they were told, each once until it changes.
        private func states(_ progress: ChildProgram.Progress) -> [String] {
            progress.text.split(separator: "\n").reduce(into: []) { states, line in
                guard let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    let state = event["sensor"] as? String, states.last != state
                else { return }
                states.append(state)
            }
        }

        @Test("unplug and replug are followed, nothing is sent to the board, and it is handed back") func cable() throws {
            let folder = try credentials()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let program = try BuiltProgram.start(
                ["monitor", "--json", "--reconnect", "--paired", Self.url], environment: ["CREDENTIALS_DIRECTORY": folder])
            #expect(program.wait(.seconds(30)) { states($0) == ["absent"] })

            let first = try bus.plug(.stlinkV21, at: "1-4", serial: "A")
            let firmware = FirmwareOnBoard(on: first)
            #expect(program.wait(.seconds(30)) { states($0).suffix(1) == ["streaming"] })
            bus.unplug(first)
            firmware.stop()
            #expect(program.wait(.seconds(30)) { states($0).suffix(1) == ["absent"] })

            let second = try bus.plug(.stlinkV21, at: "1-4", serial: "A")
            let again = FirmwareOnBoard(on: second)
            #expect(program.wait(.seconds(30)) { states($0).suffix(1) == ["streaming"] })
            // A board whose firmware stops printing is there and stalled.
            again.stop()
            #expect(program.wait(.seconds(30)) { states($0).suffix(1) == ["stalled"] })

            program.signal(SIGINT)
            let run = program.finish(.seconds(40))
            #expect(run.ending == .exited(130), "\(run.errorText)")
            for event in try BuiltProgram.objects(run) where event["event"] as? String == "paired" {
                #expect(event["watermark"] is NSNull)
                #expect(event["agreement"] as? String == "unknown")
                if event["sensor"] as? String == "streaming" {
                    #expect(event["histogramKind"] as? String == "compact_normalized_histogram")
                }
            }
            #expect(second.wait { $0.openDescriptors == 0 })
            #expect(second.status.kernelHasPort && second.log.written.isEmpty && first.log.written.isEmpty)
        }

        @Test("of two boards the one that is meant has to be named") func two() throws {
            let folder = try credentials()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            for place in ["1-4", "1-5"] { try bus.plug(.stlinkV21, at: place, serial: "SAME") }
            let program = try BuiltProgram.start(
                ["monitor", "--json", "--paired", Self.url], environment: ["CREDENTIALS_DIRECTORY": folder])
            let run = program.finish(.seconds(40))
            #expect(run.ending == .exited(2), "\(run.errorText)")
            #expect(run.errorText.contains("usb:1-4") && run.errorText.contains("usb:1-5") && run.stdout.isEmpty)
        }
    }
}
