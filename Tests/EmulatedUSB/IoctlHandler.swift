internal import CUMockdev

/// What umockdev tells about one node: its ioctls and who has it open. Called on umockdev's own thread.
protocol IoctlResponder: AnyObject, Sendable {
    func opened(_ client: ClientID)
    func closed(_ client: ClientID)
    func answer(_ call: IoctlCall)
}

/// Owner of an `UMockdevIoctlBase`. The C side keeps a reference to the responder until `disconnect`.
final class IoctlHandler: @unchecked Sendable {
    // Set once; GObject reference counts are atomic.
    let base: OpaquePointer  // UMockdevIoctlBase
    private let box: Unmanaged<Box>

    private final class Box {
        weak var responder: (any IoctlResponder)?
    }

    init(_ responder: any IoctlResponder) {
        base = umockdev_ioctl_base_new()
        let box = Box()
        box.responder = responder
        self.box = Unmanaged.passRetained(box)
        let context = self.box.toOpaque()
        nlos_on_ioctl(
            base, "handle-ioctl",
            { _, client, context in
                guard let client, let context else { return 0 }
                let call = IoctlCall(client)
                // A program may outlive the test's interest in the board: for it, the device is gone.
                guard let responder = Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().responder else {
                    call.finish(.failed(ENODEV))
                    return 1
                }
                responder.answer(call)
                return 1
            }, context)
        nlos_on_connect(
            base,
            { _, client, context in
                guard let client, let context else { return }
                Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().responder?.opened(UInt(bitPattern: client))
                nlos_on_disconnect(
                    client,
                    { context, client in
                        guard let client, let context else { return }
                        Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().responder?.closed(UInt(bitPattern: client))
                    }, context)
            }, context)
    }

    // The box is left to the C side for good: a late signal must find it, and umockdev does not say when the last one came.
    deinit { g_object_unref(UnsafeMutableRawPointer(base)) }
}
