import EmulatedUSB
import Foundation
import Testing

extension EmulatedBusSuite {
    /// `nlos-bridge probe` on an emulated bus.
    @Suite struct ProgramProbe {
        let bus = EmulatedBus()

        private func sensors(_ run: ChildProgram.Progress) throws -> [[String: Any]] {
            let object = try #require(try BuiltProgram.objects(run).first)
            return try #require(object["sensors"] as? [[String: Any]])
        }

        @Test(arguments: [BoardModel.hub, .stm32Keyboard]) func strangersAreNotListed(model: BoardModel) throws {
            let board = try bus.plug(model)
            let run = try BuiltProgram.run(["probe", "--json"])
            #expect(run.ending == .exited(3), "\(run.errorText)")
            #expect(try sensors(run).isEmpty)
            #expect(board.log.actions.isEmpty)
        }

        /// Boards that people plug in here by mistake are listed for what they are, but no firmware is assumed behind them.
        @Test(arguments: [BoardModel.stm32VirtualPort, .unoR3, .stlinkDFU, .ch340, .ftdi])
        func neighboursAreNotTakenForSensors(model: BoardModel) throws {
            let board = try bus.plug(model)
            let run = try BuiltProgram.run(["probe", "--json"])
            let found = try sensors(run)
            #expect(found.count == 1 && found.allSatisfy { $0["profile"] is NSNull && $0["sensorModel"] is NSNull })
            let capture = try BuiltProgram.run(BuiltProgram.capture(["--frames", "1"]))
            #expect(capture.ending != .exited(0) && capture.stdout.isEmpty, "\(capture.errorText)")
            #expect(board.log.actions.isEmpty && board.status.log.touched.isEmpty)
        }

        @Test func everythingIsKnownWithoutOpening() throws {
            try bus.plug(.hub, at: "1-1")
            let boards = [
                try bus.plug(.stlinkV21, at: "1-1.3", serial: "066EFF373535503457062922"),
                try bus.plug(.stlinkV3E, at: "1-4", serial: .none),
            ]
            let run = try BuiltProgram.run(["probe", "--json"])
            #expect(run.ending == .exited(0), "\(run.errorText)")
            let found = try sensors(run)
            #expect(found.map { $0["path"] as? String } == ["usb:1-1.3", "usb:1-4"])
            #expect(found.map { $0["productId"] as? String } == ["374b", "374e"])
            #expect(found.map { $0["serial"] as? String } == ["066EFF373535503457062922", nil])
            #expect(found.allSatisfy { $0["access"] as? String == "ready" && $0["kernelDriver"] as? String == "cdc_acm" })
            for board in boards { #expect(board.log.actions.isEmpty) }
        }

        @Test func deniedNodeIsListedAndNamed() throws {
            let board = try bus.plug(.stlinkV21)
            board.setNodeMode(0o600)
            let table = try BuiltProgram.run(["probe", "--json"], asNobody: true)
            #expect(table.ending == .exited(4), "\(table.errorText)")
            #expect(try sensors(table).map { $0["access"] as? String } == ["denied"])
            let capture = try BuiltProgram.run(BuiltProgram.capture(["--frames", "1"]), asNobody: true)
            #expect(capture.ending == .exited(4), "\(capture.errorText)")
            #expect(board.log.actions.isEmpty)
        }

        @Test func debuggerWithoutASerialPort() throws {
            try bus.plug(.stlinkV2)
            let run = try BuiltProgram.run(["probe", "--json"])
            #expect(run.ending == .exited(5), "\(run.errorText)")
            #expect(try sensors(run).map { $0["access"] as? String } == ["no_serial_interface"])
        }

        @Test func twoBoardsHaveToBeTold() throws {
            try bus.plug(.stlinkV21, at: "1-4", serial: "SAME")
            let second = try bus.plug(.stlinkV21, at: "1-5", serial: "SAME")
            let vague = try BuiltProgram.run(BuiltProgram.capture(["--frames", "1"]))
            #expect(vague.ending == .exited(2), "\(vague.errorText)")
            #expect(vague.errorText.contains("usb:1-4") && vague.errorText.contains("usb:1-5"))
            let firmware = FirmwareOnBoard(on: second)
            let run = try BuiltProgram.run(BuiltProgram.capture(["--frames", "1", "--sensor", "usb:1-5"]))
            firmware.stop()
            #expect(run.ending == .exited(0), "\(run.errorText)")
        }

        @Test func openReadsTheFirmwaresOwnWords() throws {
            let board = try bus.plug(.stlinkV21NoStorage)
            let program = try BuiltProgram.start(["probe", "--open", "--json"])
            #expect(board.wait { $0.readsInFlight > 0 })
            // The board starts while the program listens, or its words would be over.
            let firmware = FirmwareOnBoard(on: board, joining: .atReset)
            let run = program.finish(.seconds(40))
            firmware.stop()
            #expect(run.ending == .exited(0), "\(run.errorText)")
            let words = try #require(try sensors(run).first?["firmware"] as? [String: Any])
            #expect(words["version"] as? String == "VL53LMZ_2.0.10")
            #expect(board.wait { $0.openDescriptors == 0 } && board.status.kernelHasPort && board.log.written.isEmpty)
        }

        @Test func watchFollowsTheCable() throws {
            let first = try bus.plug(.stlinkV21, at: "1-4", serial: "A")
            let program = try BuiltProgram.start(["probe", "--watch", "--json"])
            // A board that is seen before its interfaces are changes its access a moment later.
            func changes(_ progress: ChildProgram.Progress) -> [String] {
                progress.text.split(separator: "\n").compactMap { line in
                    let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                    return object?["change"].flatMap { $0 as? String }
                }.filter { $0 != "access_changed" }
            }
            #expect(program.wait { changes($0) == ["present"] })
            bus.unplug(first)
            #expect(program.wait { changes($0) == ["present", "removed"] })
            try bus.plug(.stlinkV21, at: "1-4", serial: "A")
            #expect(program.wait { changes($0) == ["present", "removed", "added"] })
            try bus.plug(.stm32Keyboard, at: "1-6")
            try bus.plug(.stlinkV3E, at: "1-5", serial: "B")
            #expect(program.wait { changes($0) == ["present", "removed", "added", "added"] })
            program.signal(SIGINT)
            let run = program.finish()
            #expect(run.ending == .exited(130), "\(run.errorText)")
            let last = try #require(try BuiltProgram.objects(run).last)
            #expect(last["path"] as? String == "usb:1-5" && last["access"] as? String == "ready")
        }
    }
}
