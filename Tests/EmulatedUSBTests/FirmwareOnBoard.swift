import EmulatedUSB
import Foundation
import Synchronization
import TransientSensor

/// A firmware, the cc-hardware one if not said, running on an emulated board in real time: it prints into the board's UART and reads what the host
/// writes, at the line coding and with the DTR that the host has set.
final class FirmwareOnBoard: Sendable {
    private let board: EmulatedBoard
    private let isStopped = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)

    init(
        on board: EmulatedBoard, _ profile: SensorProfile = .nucleoVL53L8CH, scene: SimulatedScene = .matteWall,
        faults: FaultSwitches = FaultSwitches(),
        joining: Joining = .midStream
    ) {
        self.board = board
        let start = DispatchTime.now().uptimeNanoseconds
        let simulated = SimulatedBoard(profile, scene: scene, faults: faults, seed: 7, startNs: start, joining: joining)
        Thread.detachNewThread { [self] in
            run(simulated)
            ended.signal()
        }
    }

    private func run(_ powered: SimulatedBoard) {
        var simulated = powered
        var taken = 0
        var coding: EmulatedUSB.LineCoding?
        var actionsSeen = 0
        while !isStopped.withLock({ $0 }), board.status.isPlugged, !simulated.isUnplugged {
            let now = DispatchTime.now().uptimeNanoseconds
            let status = board.status
            if let set = status.lineCoding, set != coding {
                coding = set
                let parity = TransientSensor.LineCoding.Parity(rawValue: set.parity) ?? .even
                simulated.firmware.setLineCoding(
                    TransientSensor.LineCoding(baud: set.baud, parity: parity), dataBits: set.dataBits, stopBits: set.stopBits)
            }
            for case .setLineState(let dtr, _) in status.log.actions[actionsSeen...] {
                simulated.advance(toNs: now) { board.feed(Array($0)) }
                simulated.firmware.setDTR(dtr, atNs: now)
            }
            actionsSeen = status.log.actions.count
            simulated.receive(status.log.written[taken...], atNs: now)
            taken = status.log.written.count
            var printed: [UInt8] = []
            simulated.advance(toNs: now) { printed += $0 }
            if !printed.isEmpty { board.feed(printed) }
            let wait = simulated.nextEventNs.map { $0 > now ? $0 - now : 0 } ?? .max
            let (known, heard, seen) = (coding, taken, actionsSeen)
            _ = board.wait(.nanoseconds(Int64(min(wait, 100_000_000)))) {
                $0.lineCoding != known || $0.log.written.count > heard || $0.log.actions.count > seen || !$0.isPlugged
            }
        }
    }

    /// Returns when the firmware prints nothing more.
    func stop() {
        isStopped.withLock { $0 = true }
        ended.wait()
    }
}
