import NLOSCore
import TransientSensor

/// The file that `--record` writes, and what became of it.
final class Recording {
    let recorder: PcapRecorder
    private let file: String
    private(set) var result: CaptureSummary.Recording?

    init(file: String, source: any ByteSource, replacing: Bool) throws(RunFailure) {
        self.file = file
        fatalError()
    }
}
