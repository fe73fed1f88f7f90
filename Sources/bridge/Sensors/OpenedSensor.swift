import NLOSCore
import TransientSensor

/// A sensor that is open, and what is known of it.
struct OpenedSensor {
    let source: any ByteSource
    let profile: SensorProfile
    /// The profile was found by listening and by nothing else.
    var wasHeard = false
    /// The configuration that a recording shows being sent; nil for every other source.
    var recordedConfiguration: VL53L8CHConfiguration?
    /// The packet that a recording shows being sent first, whether or not there are words for what it asks.
    var recordedPacket: [UInt8]?

    /// What somebody should know who did not name the firmware; nil where it was certain.
    var recognition: Message? {
        guard wasHeard else { return nil }
        return Message(
            text: "\(source.path): taken for \(profile.name), by what it says",
            next: "firmwares that stream alike cannot be told apart by listening: name another one with --profile")
    }

    /// The conversation its firmware understands; with no request, what the recording shows, or whatever runs.
    func session(_ request: StreamRequest?) -> any FirmwareSession {
        let recorded = recordedConfiguration.map { StreamRequest.vl53l8ch(.configure($0)) }
        return profile.session(request ?? recorded ?? .join, at: SessionPlace(path: source.path, isRecorded: source is PcapReplay))
    }
}
