import NLOSCore
import TransientSensor

/// The file that `--record` writes, and what became of it. A disk that fails ends the recording, not the capture.
final class Recording: StreamTap {
    /// Nil once it is finished.
    private var recorder: PcapRecorder?
    private let file: String
    private(set) var result: CaptureSummary.Recording?

    init(file: String, source: any ByteSource, replacing: Bool, clocks: Clocks) throws(RunFailure) {
        self.file = file
        do throws(SensorError) {
            recorder = try PcapRecorder(
                file: file, device: source.recordedDevice, origin: source.origin, replacing: replacing, clocks: clocks)
        } catch {
            throw RunFailure(
                .cannotCreate(file, SystemFailure(error)), status: .failed, end: .deviceError)
        }
    }

    func received(_ bytes: UnsafeRawBufferPointer, at arrival: Arrival) { recorder?.received(bytes, at: arrival) }
    func sent(_ bytes: [UInt8]) { recorder?.sent(bytes) }
    func batchEnded() { recorder?.flush() }

    /// Finishes the file and says what it holds. Idempotent.
    func close() {
        guard let recorder = recorder.take() else { return }
        let ended = recorder.finish()
        if !ended.complete {
            let why = ended.failure.map { SystemFailure(operation: "write", errno: $0).reason } ?? "not all could be written"
            say(
                Message(
                    text: "\(escaped(file.utf8)): the recording ends early (\(why)): \(ended.recordsLost) records with "
                        + "\(ended.bytesLost) bytes are not in it; it can be read up to its last whole record"))
        }
        let digest = try? SHA256.ofFile(file)
        result = CaptureSummary.Recording(file: file, sha256: digest ?? "", complete: ended.complete)
    }
}
