internal import CUMockdev

/// Memory of the host program, as umockdev lends it: valid to write while that program waits in one of its ioctls.
struct HostMemory {
    private let data: OpaquePointer  // UMockdevIoctlData, one reference is ours until `release`

    /// Follows the pointer at `offset` to `length` bytes.
    func follow(_ offset: Int, length: Int) -> HostMemory? {
        var error: OpaquePointer?
        guard let child = umockdev_ioctl_data_resolve(data, UInt(offset), UInt(length), &error) else {
            if let error { g_error_free(error) }
            return nil
        }
        return HostMemory(data: child)
    }

    init(data: OpaquePointer) { self.data = data }

    var bytes: [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        var count: Int32 = 0
        umockdev_ioctl_data_retrieve(data, &start, &count)
        defer { g_free(start) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    func write(_ bytes: [UInt8], at offset: Int) {
        guard !bytes.isEmpty else { return }
        var bytes = bytes
        umockdev_ioctl_data_update(data, UInt(offset), &bytes, Int32(bytes.count))
    }

    func store<T: BitwiseCopyable>(_ value: T, at offset: Int) { write(withUnsafeBytes(of: value) { Array($0) }, at: offset) }

    func writePointer(to target: HostMemory, at offset: Int) { _ = umockdev_ioctl_data_set_ptr(data, UInt(offset), target.data) }

    func release() { g_object_unref(UnsafeMutableRawPointer(data)) }

    /// Reads the C structure that this memory holds.
    func load<T>(as type: T.Type) -> T? {
        let bytes = bytes
        guard bytes.count >= MemoryLayout<T>.size else { return nil }
        return bytes.withUnsafeBytes { $0.load(as: type) }
    }
}

/// One ioctl of a host program that waits for its answer.
struct IoctlCall {
    private let client: OpaquePointer  // UMockdevIoctlClient
    let request: UInt
    /// The third argument itself; following it leads to the structure.
    let argument: HostMemory
    /// The third argument as a number: the address in the host program. Read at once, because following it overwrites it.
    let number: UInt

    init(_ client: OpaquePointer) {
        self.client = client
        request = umockdev_ioctl_client_get_request(client)
        argument = HostMemory(data: umockdev_ioctl_client_get_arg(client))
        number = argument.load(as: UInt.self) ?? 0
    }

    var clientID: ClientID { UInt(bitPattern: client) }

    /// The structure behind the third argument, and where it lies.
    func structure<T>(_ type: T.Type) -> (value: T, memory: HostMemory)? {
        guard let memory = argument.follow(0, length: MemoryLayout<T>.size) else { return nil }
        guard let value = memory.load(as: type) else {
            memory.release()
            return nil
        }
        return (value, memory)
    }

    func finish(_ result: IoctlResult) {
        switch result {
        case .value(let value): umockdev_ioctl_client_complete(client, value, 0)
        case .failed(let errno): umockdev_ioctl_client_complete(client, -1, errno)
        }
    }
}
