import NLOSCore

@testable import TransientSensor

/// A source that hands over what a test wrote down, one batch a drain, and keeps what it was sent.
final class ScriptedSource: ByteSource {
    struct Piece {
        let bytes: [UInt8]
        let arrival: Arrival

        static func text(_ text: String, atMs ms: UInt64 = 0) -> Piece { Piece(bytes: Array(text.utf8), arrival: at(ms)) }
        static func hole(atMs ms: UInt64 = 0) -> Piece { Piece(bytes: [], arrival: at(ms)) }
    }

    let origin = FrameSource.live
    let path = "usb:1-4"
    let readiness: CInt = -1
    let bytesLost: UInt64 = 0
    let keepsOwnTime: Bool
    /// Not yet handed over.
    var batches: [[Piece]]
    /// Thrown by the drain that has handed over the last batch.
    var endsWith: SensorError?
    /// Thrown by every send.
    var refusesSendsWith: SensorError?
    private(set) var sent: [[UInt8]] = []
    /// Sends that came while bytes were being handed over.
    private(set) var sentWhileDraining = 0
    private var drains = false

    init(_ batches: [[Piece]] = [], keepsOwnTime: Bool = false) {
        self.batches = batches
        self.keepsOwnTime = keepsOwnTime
    }

    func drain(_ body: (UnsafeRawBufferPointer, Arrival) -> Void) throws(SensorError) -> Drained {
        drains = true
        defer { drains = false }
        for piece in batches.isEmpty ? [] : batches.removeFirst() {
            piece.bytes.withUnsafeBytes { body($0, piece.arrival) }
        }
        if batches.isEmpty, let endsWith { throw endsWith }
        return batches.isEmpty ? .idle : .more
    }

    func send(_ bytes: [UInt8]) throws(SensorError) {
        if let refusesSendsWith { throw refusesSendsWith }
        if drains { sentWhileDraining += 1 }
        sent.append(bytes)
    }

    func close() {}
}

/// Everything that passed, in order.
final class ListeningTap: StreamTap {
    enum Passed: Equatable {
        case received([UInt8], Arrival)
        case sent([UInt8])
        case batchEnded
    }

    private(set) var passed: [Passed] = []

    func received(_ bytes: UnsafeRawBufferPointer, at arrival: Arrival) { passed.append(.received(Array(bytes), arrival)) }
    func sent(_ bytes: [UInt8]) { passed.append(.sent(bytes)) }
    func batchEnded() { passed.append(.batchEnded) }
}
