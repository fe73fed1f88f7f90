import EmulatedUSB
import Foundation
import Testing
import TransientSensor

extension EmulatedBusSuite {
    /// An Arduino on an emulated bus, a sketch of a TMF882X on it.
    @Suite struct ProgramSketch {
        let bus = EmulatedBus()

        private func lines(of board: EmulatedBoard) -> [Bool] {
            board.log.actions.compactMap { if case .setLineState(let dtr, _) = $0 { dtr } else { nil } }
        }

        /// Reset by the rise of DTR, known by the words that it boots with, told to measure, and told to stop.
        @Test func aSketchThatWaitsForCommandsIsKnownByItsWords() throws {
            let board = try bus.plug(.unoR3)
            let firmware = FirmwareOnBoard(on: board, .tmf882xAms, joining: .atReset)
            let run = try BuiltProgram.run(
                BuiltProgram.capture(["--sensor", "usb:\(board.place.port)", "--frames", "2", "--count-shift", "2"]))
            firmware.stop()
            #expect(run.ending == .exited(0), "\(run.errorText)")
            let frames = try BuiltProgram.objects(run)
            #expect(frames.count == 2)
            for frame in frames {
                let provenance = try #require(frame["provenance"] as? [String: Any])
                #expect(frame["source"] as? String == "live" && frame["evidenceLevel"] as? String == "l1_measured")
                #expect(provenance["transientKind"] as? String == "raw_histogram" && provenance["sensorModel"] as? String == "TMF882X")
                #expect((provenance["firmwareVersion"] as? String)?.hasSuffix(".shift2") == true)
                #expect((frame["zones"] as? [Any])?.count == 9)
            }
            #expect(board.log.written.last == UInt8(ascii: "s"))
            #expect(board.log.lineCodings.last == EmulatedUSB.LineCoding(baud: 115_200))
            #expect(lines(of: board).suffix(3) == [false, true, false])
            #expect(board.wait { $0.openDescriptors == 0 } && board.status.kernelHasPort && board.status.onlyPortTouched)
        }

        /// It may be anything: a printer would lose its place.
        @Test func aBoardThatNobodyNamedIsNotStartedAnew() throws {
            let board = try bus.plug(.unoR3)
            let capture = try BuiltProgram.run(BuiltProgram.capture(["--frames", "1"]))
            #expect(capture.ending == .exited(5) && capture.errorText.contains("--sensor usb:\(board.place.port)"), "\(capture.errorText)")
            #expect(board.log.actions.isEmpty)
            let probe = try BuiltProgram.run(["probe", "--open", "--json"])
            #expect(probe.ending == .exited(5), "\(probe.errorText)")
            #expect(lines(of: board).isEmpty && board.log.written.isEmpty)
        }

        /// Neither is one that streams all the time: it is only listened to.
        @Test func aStreamingSketchIsKnownWithoutTouchingItsLines() throws {
            let board = try bus.plug(.unoR3)
            let firmware = FirmwareOnBoard(on: board, .tmf882xMiniTof)
            let probe = try BuiltProgram.run(["probe", "--open", "--json"])
            firmware.stop()
            let sensors = try #require(try BuiltProgram.objects(probe).first?["sensors"] as? [[String: Any]])
            #expect(sensors.map { $0["profile"] as? String } == ["tmf882x-mini-tof"], "\(probe.errorText)")
            #expect(lines(of: board).isEmpty && board.log.written.isEmpty)
        }
    }
}
