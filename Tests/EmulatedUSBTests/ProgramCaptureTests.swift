import EmulatedUSB
import Foundation
import Testing
import TransientSensor

extension EmulatedBusSuite {
    /// `nlos-bridge capture` from an emulated board with the emulated firmware behind it.
    @Suite struct ProgramCapture {
        let bus = EmulatedBus()

        /// After every way out: the board is the kernel's again, and nothing but the serial port was ever touched.
        private func expectHandedBack(_ board: EmulatedBoard, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(board.wait { $0.openDescriptors == 0 }, sourceLocation: sourceLocation)
            #expect(board.status.kernelHasPort, "\(board.log.actions)", sourceLocation: sourceLocation)
            #expect(board.status.onlyPortTouched, sourceLocation: sourceLocation)
        }

        static let boards: [BoardModel] = [.stlinkV21, .stlinkV21NoStorage, .stlinkV3E, .stlinkV3TwoPorts, .cdcGadget]

        @Test(arguments: boards) func framesOfEveryBoard(model: BoardModel) throws {
            let board = try bus.plug(model)
            let firmware = FirmwareOnBoard(on: board)
            let run = try BuiltProgram.run(BuiltProgram.capture(["--frames", "3"]))
            firmware.stop()
            #expect(run.ending == .exited(0), "\(run.errorText)")
            let frames = try BuiltProgram.objects(run)
            #expect(frames.count == 3)
            #expect(frames.allSatisfy { $0["source"] as? String == "live" && ($0["zones"] as? [Any])?.count == 64 })
            #expect(board.log.lineCodings == [EmulatedUSB.LineCoding(baud: 2_250_000)] && board.log.written.isEmpty)
            expectHandedBack(board)
        }

        @Test func settingsAreSentAndTakeEffect() throws {
            let board = try bus.plug(.stlinkV3E)
            let firmware = FirmwareOnBoard(on: board)
            let run = try BuiltProgram.run(BuiltProgram.capture(["--zones", "4x4", "--bins", "24", "--frames", "2"]))
            firmware.stop()
            #expect(run.ending == .exited(0), "\(run.errorText)")
            let frames = try BuiltProgram.objects(run)
            let zones = frames.compactMap { $0["zones"] as? [[String: Any]] }
            #expect(zones.map(\.count) == [16, 16])
            #expect(zones.joined().allSatisfy { ($0["histogram"] as? [Any])?.count == 24 })
            #expect(board.log.written.count == 26)
            expectHandedBack(board)
        }

        @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))]) func signalsHandTheBoardBack(signal: Int32, status: Int32) throws {
            let board = try bus.plug(.stlinkV21)
            let firmware = FirmwareOnBoard(on: board)
            let program = try BuiltProgram.start(BuiltProgram.capture([]))
            #expect(program.wait(.seconds(30)) { $0.stdout.contains(0x0A) })
            program.signal(signal)
            let run = program.finish()
            firmware.stop()
            #expect(run.ending == .exited(status), "\(run.errorText)")
            #expect(try !BuiltProgram.objects(run).isEmpty)
            expectHandedBack(board)
        }

        @Test(arguments: [SIGINT, SIGTERM]) func aSilentBoardIsHandedBackToo(signal: Int32) throws {
            let board = try bus.plug(.stlinkV21)
            let program = try BuiltProgram.start(BuiltProgram.capture([]))
            #expect(board.wait { $0.readsInFlight > 0 && $0.lineCoding?.baud == 2_250_000 })
            program.signal(signal)
            #expect(program.finish().ending == .exited(128 + signal))
            expectHandedBack(board)
        }

        @Test(arguments: UnplugOrder.allCases) func unpluggedInMidStream(order: UnplugOrder) throws {
            let board = try bus.plug(.stlinkV21)
            let firmware = FirmwareOnBoard(on: board)
            let folder = FileManager.default.temporaryDirectory.appending(path: "nlos-unplug-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let recording = folder.appending(path: "raw.pcap").path()
            let summary = folder.appending(path: "summary.json")
            let program = try BuiltProgram.start(BuiltProgram.capture(["--record", recording, "--summary-json", summary.path()]))
            #expect(program.wait(.seconds(30)) { $0.stdout.contains(0x0A) })
            bus.unplug(board, order: order)
            let run = program.finish()
            firmware.stop()
            #expect(run.ending == .exited(1), "\(String(describing: run.ending)) \(run.errorText)")
            let live = try BuiltProgram.objects(run)
            let facts = try JSONSerialization.jsonObject(with: Data(contentsOf: summary)) as? [String: Any]
            #expect(facts?["end"] as? String == "sensor_disconnected")
            #expect(facts?["framesEmitted"] as? Int == live.count)
            // What was recorded up to that moment plays back to the same frames, and says that it is a replay.
            let replay = try BuiltProgram.run(["replay", recording, "--fast"] + BuiltProgram.provenance)
            let replayed = try BuiltProgram.objects(replay)
            #expect(replayed.count == live.count && replayed.allSatisfy { $0["source"] as? String == "replay" }, "\(replay.errorText)")
            for (one, other) in zip(live, replayed) { #expect((one["zones"] as? NSArray) == (other["zones"] as? NSArray)) }
        }

        @Test(arguments: UnplugOrder.allCases) func unpluggedWhileBeingOpened(order: UnplugOrder) throws {
            let board = try bus.plug(.stlinkV21)
            board.ignoreRequests([0x20])
            let program = try BuiltProgram.start(BuiltProgram.capture([]))
            #expect(board.wait { $0.transfersInFlight > 0 })
            bus.unplug(board, order: order)
            let run = program.finish()
            #expect(run.ending == .exited(1) && run.errorText.contains("usb:1-4: unplugged"), "\(run.errorText)")
            #expect(run.stdout.isEmpty)
        }

        @Test(arguments: UnplugOrder.allCases) func unpluggedWhileBeingConfigured(order: UnplugOrder) throws {
            let board = try bus.plug(.stlinkV21)
            board.setHoldsOutput(true)
            let firmware = FirmwareOnBoard(on: board)
            let program = try BuiltProgram.start(BuiltProgram.capture(["--zones", "4x4", "--bins", "24"]))
            #expect(board.wait { $0.transfersInFlight > $0.readsInFlight && $0.readsInFlight > 1 })
            bus.unplug(board, order: order)
            let run = program.finish()
            firmware.stop()
            #expect(run.ending == .exited(1) && run.errorText.contains("usb:1-4: unplugged"), "\(run.errorText)")
            #expect(run.errorText.contains("sensor_disconnected"))
        }

        @Test(arguments: [EmulatedBus.fewCapabilities, EmulatedBus.noCapabilities]) func olderKernels(capabilities: UInt32) throws {
            let board = try bus.plug(.stlinkV21, capabilities: capabilities)
            let firmware = FirmwareOnBoard(on: board)
            let run = try BuiltProgram.run(BuiltProgram.capture(["--frames", "2"]))
            firmware.stop()
            #expect(run.ending == .exited(0), "\(run.errorText)")
            #expect(try BuiltProgram.objects(run).count == 2)
            expectHandedBack(board)
        }

        @Test func theOtherPortOfABoardWithTwo() throws {
            let board = try bus.plug(.stlinkV3TwoPorts)
            let program = try BuiltProgram.start(BuiltProgram.capture(["--vcp", "2"]))
            #expect(board.wait { $0.lineCodings[4]?.baud == 2_250_000 })
            program.signal(SIGINT)
            #expect(program.finish().ending == .exited(130))
            #expect(board.log.touched == [4, 5] && board.status.kernelHasPort && board.ttys.count == 2)
        }

        @Test func aProgramThatLetsGoIsWaitedFor() throws {
            let board = try bus.plug(.stlinkV21)
            board.setAnotherProgram(holds: 2)
            let firmware = FirmwareOnBoard(on: board)
            let program = try BuiltProgram.start(BuiltProgram.capture(["--frames", "1"]))
            #expect(board.wait { $0.log.actions.contains(.claimRefused(2, errno: EBUSY)) })
            #expect(program.wait { $0.errorText.contains("trying again") })
            board.setAnotherProgram(holds: 2, false)
            let run = program.finish(.seconds(40))
            firmware.stop()
            #expect(run.ending == .exited(0), "\(run.errorText)")
            #expect(try BuiltProgram.objects(run).count == 1)
        }

        @Test func aKilledRunLeavesAUsableBoard() throws {
            let board = try bus.plug(.stlinkV21)
            let firmware = FirmwareOnBoard(on: board)
            let program = try BuiltProgram.start(BuiltProgram.capture([]))
            #expect(board.wait { $0.readsInFlight > 0 })
            program.signal(SIGKILL)
            #expect(program.finish().ending == .killed(signal: SIGKILL))
            #expect(board.wait { $0.openDescriptors == 0 && $0.transfersInFlight == 0 })
            #expect(!board.status.kernelHasPort)
            let run = try BuiltProgram.run(BuiltProgram.capture(["--frames", "1"]))
            firmware.stop()
            #expect(run.ending == .exited(0), "\(run.errorText)")
            expectHandedBack(board)
        }

        struct Refusal: CustomTestStringConvertible, Sendable {
            let name: String
            let status: Int32
            var handedBack = true
            let prepare: @Sendable (EmulatedBoard) -> Void
            var testDescription: String { name }
        }

        static let refusals: [Refusal] = [
            Refusal(name: "data interface busy", status: 5, handedBack: false) { $0.setAnotherProgram(holds: 3) },
            Refusal(name: "line coding stalls", status: 5) { $0.stallRequests([0x20]) },
            Refusal(name: "line coding is never answered", status: 5) { $0.ignoreRequests([0x20]) },
            Refusal(name: "detach fails", status: 5) { board in
                board.fail(.detach, errno: 5)
                board.fail(.detachAndClaim, errno: 5)
            },
            Refusal(name: "no memory for transfers", status: 5) { $0.fail(.submitData, errno: 12) },
            Refusal(name: "input stays stalled", status: 5) { board in
                board.stallInput()
                board.fail(.clearHalt, errno: 71)
            },
        ]

        @Test(arguments: refusals) func failedStarts(refusal: Refusal) throws {
            let board = try bus.plug(.stlinkV21)
            refusal.prepare(board)
            let run = try BuiltProgram.run(BuiltProgram.capture(["--frames", "1"]))
            #expect(run.ending == .exited(refusal.status), "\(run.errorText)")
            #expect(run.stdout.isEmpty && run.errorText.contains("1-4"), "\(run.errorText)")
            if refusal.handedBack { expectHandedBack(board) }
            #expect(board.status.onlyPortTouched)
        }
    }
}
