import EmulatedUSB
import Foundation
import Testing
import TransientSensor

extension EmulatedBusSuite {
    /// DEPZ boards on an emulated bus, the emulated firmware behind them.
    @Suite struct ProgramDepz {
        let bus = EmulatedBus()

        @Test(arguments: [(UInt16(0xed40), "depz-vl53l8ch"), (0xed4b, "depz-vl53l8cx")]) func theIdTellsTheProfile(
            product: UInt16, profile: String
        )
            throws
        {
            let board = try bus.plug(.depz(product: product))
            let run = try BuiltProgram.run(["probe", "--json"])
            #expect(run.ending == .exited(0), "\(run.errorText)")
            let sensors = try #require(try BuiltProgram.objects(run).first?["sensors"] as? [[String: Any]])
            #expect(sensors.map { $0["profile"] as? String } == [profile])
            #expect(board.log.actions.isEmpty)
        }

        /// Listed with what is known of it; nobody opens it.
        @Test func aTMF8829IsNamedAndLeftAlone() throws {
            let board = try bus.plug(.depz(product: 0xed4c))
            let run = try BuiltProgram.run(["probe"])
            #expect(run.text.contains("TMF8829") && run.text.contains("not supported yet"), "\(run.text)\(run.errorText)")
            let capture = try BuiltProgram.run(BuiltProgram.capture(["--frames", "1"]))
            #expect(capture.ending != .exited(0) && capture.stdout.isEmpty)
            #expect(board.log.actions.isEmpty)
        }

        /// The board waits, is asked and started, and stopped at the end.
        @Test func histogramsOfABoardThatWaits() throws {
            let board = try bus.plug(.depz(product: 0xed40))
            let firmware = FirmwareOnBoard(on: board, .depzVL53L8CH, joining: .atReset)
            let run = try BuiltProgram.run(BuiltProgram.capture(["--frames", "3"]))
            firmware.stop()
            #expect(run.ending == .exited(0), "\(run.errorText)")
            let frames = try BuiltProgram.objects(run)
            #expect(frames.count == 3)
            #expect(frames.allSatisfy { $0["source"] as? String == "live" && $0["binWidthPs"] as? Double == 1_750 })
            #expect(board.log.written.suffix(7).dropFirst(4).first == 0x36)
            #expect(board.wait { $0.openDescriptors == 0 } && board.status.kernelHasPort && board.status.onlyPortTouched)
        }

        @Test func depthAloneIsRefused() throws {
            let board = try bus.plug(.depz(product: 0xed4b))
            let firmware = FirmwareOnBoard(on: board, .depzVL53L8CX)
            let run = try BuiltProgram.run(BuiltProgram.capture(["--frames", "3"]))
            firmware.stop()
            #expect(run.ending == .exited(7) && run.stdout.isEmpty, "\(run.errorText)")
            #expect(run.errorText.contains("depth only"))
        }
    }
}
