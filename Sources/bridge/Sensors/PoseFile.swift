import NLOSCore

/// Poses from a JSONL file, one for each emitted frame: `{"translationM":{"x":0,"y":0,"z":0},"quaternionXyzw":[0,0,0,1]}`.
final class PoseFile {
    private static let longestLine = 4096
    private let name: String
    private let reader: LineReader
    private var line = 0
    private var ahead: SensorPose?

    init(path: String) throws(SystemFailure) {
        name = path
        reader = try LineReader(path: path, longest: Self.longestLine)
    }

    /// The next frame's pose; the same again until `advance`.
    func current() throws(RunFailure) -> SensorPose {
        if let ahead { return ahead }
        let pose = try read()
        ahead = pose
        return pose
    }

    /// A frame has been emitted with the current pose.
    func advance() { ahead = nil }

    private func read() throws(RunFailure) -> SensorPose {
        line += 1
        let place = "\(escaped(name.utf8)):\(line)"
        switch try readLine() {
        case .bytes(let bytes):
            if let pose = bytes.withUnsafeBytes({ try? SensorPose.decode($0) }) { return pose }
            throw .pose(
                "\(place): not a pose: {\"translationM\":{\"x\":0,\"y\":0,\"z\":0},\"quaternionXyzw\":[0,0,0,1]} is one; the norm must be 0.99 to 1.01"
            )
        case .tooLong: throw .pose("\(place): a pose takes at most \(Self.longestLine) bytes")
        case nil: throw .pose("\(escaped(name.utf8)): holds \(line - 1) poses and one more frame came; it needs one a frame")
        }
    }

    private func readLine() throws(RunFailure) -> LineReader.Line? {
        do throws(SystemFailure) {
            return try reader.next()
        } catch {
            throw RunFailure(error, file: name)
        }
    }
}

extension RunFailure {
    fileprivate static func pose(_ text: String) -> RunFailure {
        RunFailure(Message(text: text), status: .failed, end: .deviceError)
    }
}
