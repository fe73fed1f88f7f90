import CLibUSB
import EmulatedUSB
import Testing

extension EmulatedBusSuite {
    /// The kernel's serial driver, played: who may take what, and how it comes back.
    @Suite struct Drivers {
        let bus = EmulatedBus()
        let host: PlainHost

        init() { host = PlainHost(on: bus) }

        @Test(arguments: [Int32(2), 3]) func detachingOneFreesBoth(interface: Int32) throws {
            let board = try bus.plug(.stlinkV21)
            let handle = try host.open(board)
            #expect(board.status.kernelHasPort)
            #expect(board.ttys == ["ttyACM0"])
            #expect(libusb_kernel_driver_active(handle.handle, interface) == 1)
            #expect(libusb_detach_kernel_driver(handle.handle, interface) == 0)
            #expect(board.status.holders[2] == .nobody && board.status.holders[3] == .nobody)
            #expect(board.status.holders[1] == .kernel("usb-storage"))
            #expect(board.ttys.isEmpty)
            #expect(libusb_detach_kernel_driver(handle.handle, interface) == LIBUSB_ERROR_NOT_FOUND.rawValue)
        }

        @Test func givenBackInTheRightOrder() throws {
            let board = try bus.plug(.stlinkV21)
            let handle = try host.open(board)
            try handle.claim(board)
            #expect(libusb_release_interface(handle.handle, 3) == 0)
            #expect(libusb_release_interface(handle.handle, 2) == 0)
            #expect(libusb_attach_kernel_driver(handle.handle, 2) == 0)
            #expect(board.status.kernelHasPort && board.ttys == ["ttyACM0"])
            #expect(board.log.actions == [.opened, .detached(2), .claimed(2), .claimed(3), .released(3), .released(2), .attached(2)])
            #expect(board.status.onlyPortTouched)
        }

        @Test(arguments: [
            (FailedConnect.fails, LIBUSB_ERROR_BUSY, LIBUSB_ERROR_NO_DEVICE),
            (.returnsZero, LIBUSB_ERROR_NOT_FOUND, LIBUSB_ERROR_NOT_FOUND),
        ]) func givenBackInTheWrongOrder(answer: FailedConnect, busy: libusb_error, noDriver: libusb_error) throws {
            let board = try bus.plug(.stlinkV21)
            board.setFailedConnect(answer)
            let handle = try host.open(board)
            try handle.claim(board)
            #expect(libusb_release_interface(handle.handle, 2) == 0)
            #expect(libusb_attach_kernel_driver(handle.handle, 2) == busy.rawValue)
            #expect(libusb_release_interface(handle.handle, 3) == 0)
            #expect(libusb_attach_kernel_driver(handle.handle, 3) == noDriver.rawValue)
            #expect(!board.status.kernelHasPort && board.ttys.isEmpty)
            #expect(libusb_attach_kernel_driver(handle.handle, 2) == 0)
            #expect(board.status.kernelHasPort)
        }

        @Test func detachAndClaimInOneStep() throws {
            let board = try bus.plug(.stlinkV21)
            let handle = try host.open(board)
            #expect(libusb_set_auto_detach_kernel_driver(handle.handle, 1) == 0)
            #expect(libusb_claim_interface(handle.handle, 2) == 0)
            #expect(libusb_claim_interface(handle.handle, 3) == 0)
            #expect(board.log.actions == [.opened, .detached(2), .claimed(2), .claimed(3)])
            #expect(libusb_release_interface(handle.handle, 3) == LIBUSB_SUCCESS.rawValue)
            #expect(libusb_release_interface(handle.handle, 2) == LIBUSB_SUCCESS.rawValue)
            #expect(board.status.kernelHasPort)
        }

        @Test func anotherProgramKeepsWhatItHas() throws {
            let board = try bus.plug(.stlinkV21)
            board.setAnotherProgram(holds: 3)
            let handle = try host.open(board)
            #expect(libusb_kernel_driver_active(handle.handle, 3) == 0)
            #expect(libusb_claim_interface(handle.handle, 2) == 0)
            #expect(libusb_claim_interface(handle.handle, 3) == LIBUSB_ERROR_BUSY.rawValue)
            #expect(board.log.contains(.claimRefused(3, errno: 16)))
            board.setAnotherProgram(holds: 3, false)
            #expect(libusb_claim_interface(handle.handle, 3) == 0)
        }

        @Test func twoHandlesDoNotShare() throws {
            let board = try bus.plug(.stlinkV21)
            let first = try host.open(board)
            let second = try host.open(board)
            try first.claim(board)
            #expect(libusb_claim_interface(second.handle, 3) == LIBUSB_ERROR_BUSY.rawValue)
            #expect(board.status.openDescriptors == 2)
        }

        @Test func closingReleasesButAttachesNothing() throws {
            let board = try bus.plug(.stlinkV21)
            do {
                let handle = try host.open(board)
                try handle.claim(board)
            }
            #expect(board.wait { $0.openDescriptors == 0 })
            #expect(board.status.holders[2] == .nobody && !board.status.kernelHasPort)
            #expect(board.log.actions.last == .closed)
        }

        /// Walks through every operation that can be made to fail; the results by operation.
        private func walk(_ handle: PlainHandle) -> [HostOperation: Int32] {
            let device = handle.handle
            var results: [HostOperation: Int32] = [:]
            libusb_set_auto_detach_kernel_driver(device, 1)
            results[.detachAndClaim] = libusb_claim_interface(device, 1)
            libusb_set_auto_detach_kernel_driver(device, 0)
            results[.detach] = libusb_detach_kernel_driver(device, 2)
            results[.claim] = libusb_claim_interface(device, 3)
            results[.submit] = handle.write(0x05, [1]).code
            results[.submitData] = results[.submit]
            results[.clearHalt] = libusb_clear_halt(device, 0x05)
            results[.release] = libusb_release_interface(device, 3)
            results[.attach] = libusb_attach_kernel_driver(device, 2)
            results[.reset] = libusb_reset_device(device)
            return results
        }

        @Test func everyOperationWorks() throws {
            let board = try bus.plug(.stlinkV21)
            let results = walk(try host.open(board))
            #expect(results.count == HostOperation.allCases.count && results.values.allSatisfy { $0 == 0 }, "\(results)")
        }

        @Test(arguments: HostOperation.allCases) func everyOperationFailsOnDemand(operation: HostOperation) throws {
            let board = try bus.plug(.stlinkV21)
            board.fail(operation, errno: 12)
            let results = walk(try host.open(board))
            #expect(try #require(results[operation]) < 0)
        }
    }
}
