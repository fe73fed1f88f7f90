import EmulatedUSB
import Glibc
import NLOSCore
import Testing

@testable import TransientSensor

extension EmulatedBusSuite {
    /// Starts that fail: each gives back exactly what it took, and says what went wrong.
    @Suite struct LinkStarts {
        let bus = EmulatedBus()

        struct Row: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let error: SensorError
            let disturb: @Sendable (EmulatedBoard) -> Void
            /// Whether the kernel's driver was there before and has to be back after.
            var kernelHasPort = true
        }

        private static func usb(_ operation: String, _ failure: USBFailure) -> SensorError {
            .usb(path: "usb:1-4", operation: operation, failure: failure)
        }

        static let rows = [
            Row(
                testDescription: "data interface held by another program", error: .busy(path: "usb:1-4", node: "/dev/bus/usb/001/040"),
                disturb: { $0.setAnotherProgram(holds: 3) }, kernelHasPort: false),
            Row(
                testDescription: "control interface held by another program", error: .busy(path: "usb:1-4", node: "/dev/bus/usb/001/040"),
                disturb: { $0.setAnotherProgram(holds: 2) }, kernelHasPort: false),
            Row(
                testDescription: "claim is busy", error: .busy(path: "usb:1-4", node: "/dev/ttyACM1"),
                disturb: { $0.fail(.claim, errno: EBUSY) }),
            Row(testDescription: "gone at the detach", error: .unplugged(path: "usb:1-4"), disturb: { $0.fail(.detach, errno: ENODEV) }),
            Row(testDescription: "gone at the claim", error: .unplugged(path: "usb:1-4"), disturb: { $0.fail(.claim, errno: ENODEV) }),
            Row(testDescription: "gone at a request", error: .unplugged(path: "usb:1-4"), disturb: { $0.fail(.submit, errno: ENODEV) }),
            Row(
                testDescription: "gone at the first read", error: .unplugged(path: "usb:1-4"),
                disturb: { $0.fail(.submitData, errno: ENODEV) }),
            Row(testDescription: "claim fails", error: usb("claim", .other(code: -99)), disturb: { $0.fail(.claim, errno: EIO) }),
            Row(testDescription: "set coding stalls", error: usb("SET_LINE_CODING", .stalled), disturb: { $0.stallRequests([0x20]) }),
            Row(testDescription: "get coding stalls", error: usb("GET_LINE_CODING", .stalled), disturb: { $0.stallRequests([0x21]) }),
            Row(
                testDescription: "set coding is not answered", error: usb("SET_LINE_CODING", .timeout),
                disturb: { $0.ignoreRequests([0x20]) }),
            Row(
                testDescription: "the rate is refused", error: .rateRefused(path: "usb:1-4", asked: 2_250_000, got: 9600),
                disturb: { $0.claimLineCoding([0x80, 0x25, 0, 0, 0, 0, 8]) }),
            Row(
                testDescription: "a short answer", error: usb("GET_LINE_CODING (3 of 7 bytes)", .ioError),
                disturb: { $0.claimLineCoding([0x80, 0x25, 0]) }),
            Row(
                testDescription: "nothing can be submitted", error: usb("SET_LINE_CODING", .ioError),
                disturb: { $0.fail(.submit, errno: EIO) }),
            Row(
                testDescription: "no read can be submitted", error: usb("read", .ioError),
                disturb: { $0.fail(.submitData, errno: EIO) }),
        ]

        @Test(arguments: rows) func fails(row: Row) throws {
            let warm = try bus.plug(.stlinkV21, at: "1-9")
            try LinkListener.open(warm).close()
            let board = try bus.plug(.stlinkV21, devnum: 40)
            row.disturb(board)
            let before = Holdings.now()
            #expect(throws: row.error) { try LinkListener.open(board) }
            let log = board.log
            for interface in [2, 3] as [UInt8] { #expect(log.count(.claimed(interface)) == log.count(.released(interface))) }
            #expect(log.count(.detached(2)) == log.count(.attached(2)))
            #expect(log.touched.isSubset(of: [2, 3]))
            #expect(board.status.kernelHasPort == row.kernelHasPort)
            #expect(Holdings.settle(to: before), "\(Holdings.now()), before: \(before)")
            #expect(board.wait { $0.openDescriptors == 0 })
        }

        @Test(arguments: [
            (BoardModel.stlinkV21, SensorError.noSuchSerialPort(path: "usb:1-4", asked: 2, has: 1)),
            (.stlinkV2, .noSerialInterface(path: "usb:1-4")),
        ])
        func aPortThatIsNotThere(model: BoardModel, error: SensorError) throws {
            let board = try bus.plug(model)
            #expect(throws: error) { try LinkListener.open(board, vcp: 1) }
            #expect(board.log.touched.isEmpty)
        }

        @Test func permissionDenied() throws {
            let board = try bus.plug(.stlinkV21)
            board.setNodeMode(0o600)
            // libusb listens to udev once for all contexts, and the emulation lets only root start that.
            let listening = try USBContext()
            defer { withExtendedLifetime(listening) {} }
            _ = EmulatedBus.asNobody {
                #expect(throws: SensorError.denied(path: "usb:1-4", node: board.place.devnode)) { try LinkListener.open(board) }
            }
            #expect(board.status.kernelHasPort && board.log.touched.isEmpty)
        }

        /// As a killed run leaves it.
        @Test func aBoardWithoutItsDriverGetsItBack() throws {
            let board = try bus.plug(.stlinkV21)
            board.setAnotherProgram(holds: 2)
            board.setAnotherProgram(holds: 2, false)
            #expect(!board.status.kernelHasPort && board.ttys.isEmpty)
            try LinkListener.open(board).close()
            #expect(!board.log.contains(.detached(2)) && board.log.count(.attached(2)) == 1)
            #expect(board.status.kernelHasPort && board.ttys.count == 1 && board.status.onlyPortTouched)
        }

        /// Half of the port is another's: what was not taken whole is not handed to the kernel either.
        @Test(arguments: [2, 3] as [UInt8]) func aPortInOtherHandsIsLeftAsItWas(held: UInt8) throws {
            let board = try bus.plug(.stlinkV21)
            board.setAnotherProgram(holds: held)
            #expect(throws: SensorError.self) { try LinkListener.open(board) }
            #expect(!board.log.actions.contains { $0 == .attached(2) || $0 == .attachFailed(2) })
        }

        @Test(arguments: [FailedConnect.fails, .returnsZero]) func aDriverThatDoesNotComeBackIsNoError(answer: FailedConnect) throws {
            let board = try bus.plug(.stlinkV21)
            board.setFailedConnect(answer)
            board.fail(.attach, errno: EBUSY)
            try LinkListener.open(board).close()
            #expect(board.wait { $0.openDescriptors == 0 })
        }
    }
}
