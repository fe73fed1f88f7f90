internal import Glibc
internal import Synchronization

/// Calls of libusb that fail on request: what neither a kernel nor a device can be made to do.
///
/// The functions below carry libusb's names, so the code under test in this process calls them instead, and they call the library.
/// Child programs are not reached.
public enum LibraryFaults {
    public enum Call: Sendable, CaseIterable {
        case initialize, list, open, allocateTransfer, submit, handleEvents
    }

    private struct Plan {
        var code: Int32
        var passes: Int
        var failures: Int
    }

    private static let plans = Mutex<[Call: Plan]>([:])
    /// Times that each call has failed since `clear`.
    private static let counts = Mutex<[Call: Int]>([:])

    /// From its call number `after` + 1 on, `times` of them return `code` (an allocation returns nil) and never reach the library.
    public static func fail(_ call: Call, code: Int32 = -1, after passes: Int = 0, times: Int = .max) {
        plans.withLock { $0[call] = Plan(code: code, passes: passes, failures: times) }
    }

    /// Everything reaches the library again.
    public static func clear() {
        plans.withLock { $0.removeAll() }
        counts.withLock { $0.removeAll() }
    }

    public static func failures(of call: Call) -> Int { counts.withLock { $0[call] ?? 0 } }

    /// The code to return instead of calling the library.
    fileprivate static func failure(of call: Call) -> Int32? {
        let code = plans.withLock { plans -> Int32? in
            guard var plan = plans[call] else { return nil }
            defer { plans[call] = plan }
            guard plan.passes == 0 else {
                plan.passes -= 1
                return nil
            }
            guard plan.failures > 0 else { return nil }
            plan.failures -= 1
            return plan.code
        }
        if code != nil { counts.withLock { $0[call, default: 0] += 1 } }
        return code
    }

    /// The library's own function of this name.
    fileprivate static func library<Function>(_ name: String, as: Function.Type) -> Function {
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: -1), name) else { fatalError("libusb has no \(name)") }  // RTLD_NEXT
        return unsafeBitCast(symbol, to: Function.self)
    }
}

private typealias Pointer = UnsafeMutableRawPointer

@_cdecl("libusb_init") func libraryInit(_ context: UnsafeMutableRawPointer?) -> Int32 {
    LibraryFaults.failure(of: .initialize)
        ?? LibraryFaults.library("libusb_init", as: (@convention(c) (Pointer?) -> Int32).self)(context)
}

@_cdecl("libusb_get_device_list") func libraryList(_ context: UnsafeMutableRawPointer?, _ list: UnsafeMutableRawPointer?) -> Int {
    LibraryFaults.failure(of: .list).map(Int.init)
        ?? LibraryFaults.library("libusb_get_device_list", as: (@convention(c) (Pointer?, Pointer?) -> Int).self)(context, list)
}

@_cdecl("libusb_open") func libraryOpen(_ device: UnsafeMutableRawPointer?, _ handle: UnsafeMutableRawPointer?) -> Int32 {
    LibraryFaults.failure(of: .open)
        ?? LibraryFaults.library("libusb_open", as: (@convention(c) (Pointer?, Pointer?) -> Int32).self)(device, handle)
}

@_cdecl("libusb_alloc_transfer") func libraryAllocate(_ packets: Int32) -> UnsafeMutableRawPointer? {
    guard LibraryFaults.failure(of: .allocateTransfer) == nil else { return nil }
    return LibraryFaults.library("libusb_alloc_transfer", as: (@convention(c) (Int32) -> Pointer?).self)(packets)
}

@_cdecl("libusb_submit_transfer") func librarySubmit(_ transfer: UnsafeMutableRawPointer?) -> Int32 {
    LibraryFaults.failure(of: .submit)
        ?? LibraryFaults.library("libusb_submit_transfer", as: (@convention(c) (Pointer?) -> Int32).self)(transfer)
}

@_cdecl("libusb_handle_events_timeout_completed") func libraryHandleEvents(
    _ context: UnsafeMutableRawPointer?, _ limit: UnsafeMutableRawPointer?, _ completed: UnsafeMutableRawPointer?
) -> Int32 {
    LibraryFaults.failure(of: .handleEvents)
        ?? LibraryFaults.library(
            "libusb_handle_events_timeout_completed", as: (@convention(c) (Pointer?, Pointer?, Pointer?) -> Int32).self)(
            context, limit, completed)
}
