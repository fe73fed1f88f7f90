import CWslay
import NLOSCore

/// wslay's framing layer with memory on both sides: bytes go in and frames come out, frames go in and bytes come out.
///
/// Its message layer is not used: it answers every ping at once and without a bound, keeps a block of memory for each fragment, and
/// takes what a server masks.
final class FrameCodec {
    /// A piece of a frame's payload.
    struct Piece {
        let isFinal: Bool
        let opcode: UInt8
        let payload: UnsafeRawBufferPointer
        /// Whether it is the frame's last piece.
        let endsFrame: Bool
    }

    /// What wslay's callbacks work on.
    private final class Memory {
        var unread = UnsafeRawBufferPointer(start: nil, count: 0)
        var written: [UInt8] = []
    }

    private let context: wslay_frame_context_ptr
    private let memory = Memory()
    private var frameReceived: UInt64 = 0

    init() throws(SystemCallFailure) {
        var callbacks = wslay_frame_callbacks(
            send_callback: { data, count, _, user in
                guard let data, let user else { return -1 }
                FrameCodec.memory(user).written.append(contentsOf: UnsafeBufferPointer(start: data, count: count))
                return count
            },
            recv_callback: { buffer, count, _, user in
                guard let buffer, let user else { return -1 }
                let memory = FrameCodec.memory(user)
                let part = memory.unread.prefix(count)
                guard !part.isEmpty else { return -1 }  // Wants more than there is.
                UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
                memory.unread = UnsafeRawBufferPointer(rebasing: memory.unread[part.endIndex...])
                return part.count
            },
            genmask_callback: { buffer, count, _ in
                // The system's generator: `getrandom` on Linux.
                var random = SystemRandomNumberGenerator()
                guard let buffer else { return -1 }
                for index in 0..<count { buffer[index] = random.next() }
                return 0
            })
        var context: wslay_frame_context_ptr?
        // The codec frees the context before it lets go of the memory.
        guard wslay_frame_context_init(&context, &callbacks, Unmanaged.passUnretained(memory).toOpaque()) == 0, let context else {
            throw SystemCallFailure(operation: "malloc", errno: 12)
        }
        self.context = context
    }

    deinit { wslay_frame_context_free(context) }

    /// Bytes from the server. They are read by `next`, and must stay where they are until it returns nil.
    func feed(_ bytes: UnsafeRawBufferPointer) { memory.unread = bytes }

    /// The next piece, valid until the next call; nil when there is no more. Throws what wslay does not take.
    func next() throws(WebSocketBreach) -> Piece? {
        var frame = wslay_frame_iocb()
        let count = wslay_frame_recv(context, &frame)
        guard count >= 0 else {
            if count == Int(WSLAY_ERR_WANT_READ.rawValue) { return nil }
            throw .lengthForm
        }
        frameReceived += UInt64(count)
        let endsFrame = frameReceived == frame.payload_length
        if endsFrame { frameReceived = 0 }
        return Piece(
            isFinal: frame.fin == 1, opcode: frame.opcode, payload: UnsafeRawBufferPointer(start: frame.data, count: count),
            endsFrame: endsFrame)
    }

    /// A control frame as it goes to the server, masked. At most 125 bytes of payload.
    func controlFrame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        memory.written.removeAll(keepingCapacity: true)
        payload.withUnsafeBufferPointer { payload in
            var frame = wslay_frame_iocb()
            frame.fin = 1
            frame.opcode = opcode
            frame.mask = 1
            frame.payload_length = UInt64(payload.count)
            frame.data = payload.baseAddress
            frame.data_length = payload.count
            _ = wslay_frame_send(context, &frame)
        }
        return memory.written
    }

    private static func memory(_ user: UnsafeMutableRawPointer) -> Memory {
        Unmanaged<Memory>.fromOpaque(user).takeUnretainedValue()
    }
}
