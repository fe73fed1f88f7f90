/// What can go wrong with an emulated DEPZ board beside what every board has. The raw value is the switch's name; its value says with
/// which frames, each n-th one.
public enum DepzFault: String, CaseIterable, Sendable {
    case headerChecksum = "depz-header-crc"
    case payloadChecksum = "depz-payload-crc"
    case magicInPayload = "depz-magic"
    case missingChunk = "depz-missing-chunk"
    case changingSize = "depz-changing-size"
    case packetGap = "depz-packet-gap"
    case wrongProtection = "depz-wrong-kind"
    case emptyPayload = "depz-empty-payload"
    case tornFrame = "depz-torn"
    case plainSensor = "depz-cx-behind-ch"
    case measuredPace = "depz-pace"

    var meaning: String {
        switch self {
        case .headerChecksum: "a DEPZ packet's header checksum is wrong in each n-th frame"
        case .payloadChecksum: "a DEPZ packet's payload checksum is wrong in each n-th frame"
        case .magicInPayload: "the DEPZ magic stands in the data of each n-th frame"
        case .missingChunk: "a chunk of each n-th DEPZ frame is missing"
        case .changingSize: "the chunks of each n-th DEPZ frame disagree about its size"
        case .packetGap: "DEPZ packet numbers skip seven before each n-th frame"
        case .wrongProtection: "a DEPZ header names another payload checksum than there is in each n-th frame"
        case .emptyPayload: "before each n-th frame comes an empty DEPZ packet that names a CRC-32"
        case .tornFrame: "head and end of each n-th DEPZ frame are of different frames"
        case .plainSensor: "a VL53L8CX sits behind the id of a DEPZ VL53L8CH (the number does not matter)"
        case .measuredPace: "a DEPZ board passes on a third of its frames and repeats some, as recorded (the number does not matter)"
        }
    }
}
