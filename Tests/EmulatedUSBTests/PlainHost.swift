import CLibUSB
import CLinux
import EmulatedUSB
import Foundation

/// libusb with nothing in between.
final class PlainHost {
    let context: OpaquePointer
    // The bus must outlive the library that listens to it.
    private let bus: EmulatedBus

    init(on bus: EmulatedBus) {
        self.bus = bus
        var context: OpaquePointer?
        precondition(libusb_init(&context) == 0)
        self.context = context!
    }

    deinit { libusb_exit(context) }

    /// Runs `body` on every device of the list.
    func devices<Value>(_ body: (OpaquePointer) -> Value) -> [Value] {
        var list: UnsafeMutablePointer<OpaquePointer?>?
        let count = libusb_get_device_list(context, &list)
        defer { libusb_free_device_list(list, 1) }
        return (0..<max(0, count)).map { body(list![$0]!) }
    }

    func open(_ board: EmulatedBoard) throws -> PlainHandle {
        var handle: OpaquePointer?
        var code: Int32 = LIBUSB_ERROR_NOT_FOUND.rawValue
        _ = devices { device in
            if Int(libusb_get_device_address(device)) == board.place.devnum, Int(libusb_get_bus_number(device)) == board.place.bus {
                code = libusb_open(device, &handle)
            }
        }
        guard let handle, code == 0 else { throw PlainFailure(code: code) }
        return PlainHandle(handle, host: self)
    }

    /// Asks again until it is so, or five seconds are over. For what happens on libusb's own thread and cannot be waited for.
    func waitUntil(_ done: () -> Bool) -> Bool {
        for _ in 0..<500 where !done() { usleep(10_000) }
        return done()
    }

    /// Lets libusb work until `done`, or until it heard nothing for five seconds.
    func handleEvents(until done: () -> Bool) -> Bool {
        var quiet = 0
        while !done(), quiet < 50 {
            var time = timeval(tv_sec: 0, tv_usec: 100_000)
            guard libusb_handle_events_timeout_completed(context, &time, nil) == 0 else { return false }
            quiet += 1
        }
        return done()
    }
}

struct PlainFailure: Error, Equatable {
    let code: Int32
    init(code: Int32) { self.code = code }
    init(_ error: libusb_error) { code = error.rawValue }
}

final class PlainHandle {
    let handle: OpaquePointer
    let host: PlainHost

    init(_ handle: OpaquePointer, host: PlainHost) {
        self.handle = handle
        self.host = host
    }

    deinit { libusb_close(handle) }

    func claim(_ board: EmulatedBoard) throws {
        let port = board.model.serialPorts[0]
        try check(libusb_set_auto_detach_kernel_driver(handle, 0))
        if libusb_kernel_driver_active(handle, Int32(port.control)) == 1 {
            try check(libusb_detach_kernel_driver(handle, Int32(port.control)))
        }
        try check(libusb_claim_interface(handle, Int32(port.control)))
        try check(libusb_claim_interface(handle, Int32(port.data)))
    }

    func check(_ code: Int32) throws { if code < 0 { throw PlainFailure(code: code) } }

    func read(_ endpoint: UInt8, room: Int, timeout: UInt32 = 5000) -> (code: Int32, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: room)
        var count: Int32 = 0
        let code = libusb_bulk_transfer(handle, endpoint, &bytes, Int32(room), &count, timeout)
        return (code, Array(bytes.prefix(Int(count))))
    }

    func write(_ endpoint: UInt8, _ bytes: [UInt8], timeout: UInt32 = 5000) -> (code: Int32, count: Int) {
        var bytes = bytes
        var count: Int32 = 0
        let code = libusb_bulk_transfer(handle, endpoint, &bytes, Int32(bytes.count), &count, timeout)
        return (code, Int(count))
    }

    func control(_ type: UInt8, _ request: UInt8, value: UInt16 = 0, index: UInt16, _ bytes: inout [UInt8]) -> Int32 {
        libusb_control_transfer(handle, type, request, value, index, &bytes, UInt16(bytes.count), 5000)
    }
}

/// An asynchronous bulk IN transfer and what became of it.
final class PlainTransfer {
    let transfer: UnsafeMutablePointer<libusb_transfer>
    private let buffer: UnsafeMutablePointer<UInt8>
    private(set) var status: libusb_transfer_status?
    private(set) var bytes: [UInt8] = []

    init(_ handle: PlainHandle, endpoint: UInt8, room: Int) {
        transfer = libusb_alloc_transfer(0)
        buffer = .allocate(capacity: room)
        libusb_fill_bulk_transfer(
            transfer, handle.handle, endpoint, buffer, Int32(room),
            { transfer in Unmanaged<PlainTransfer>.fromOpaque(transfer!.pointee.user_data).takeRetainedValue().completed() },
            nil, 0)
    }

    func submit() throws {
        let held = Unmanaged.passRetained(self)
        transfer.pointee.user_data = held.toOpaque()
        let code = libusb_submit_transfer(transfer)
        guard code == 0 else {
            held.release()
            throw PlainFailure(code: code)
        }
    }

    func cancel() -> Int32 { libusb_cancel_transfer(transfer) }

    private func completed() {
        status = transfer.pointee.status
        bytes = Array(UnsafeBufferPointer(start: buffer, count: Int(transfer.pointee.actual_length)))
    }

    deinit {
        libusb_free_transfer(transfer)
        buffer.deallocate()
    }
}
