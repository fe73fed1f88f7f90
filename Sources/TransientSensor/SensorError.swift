/// Everything that can go wrong between the plug and a frame. Holds facts; the sentences are in `SensorError+Message.swift`.
///
/// `path` is a device as people name it (`usb:1-4`, `tty:/dev/ttyACM0`), never a serial number.
public enum SensorError: Error, Equatable, Sendable {
    /// Nothing matches the selector; nil when none was given.
    case notFound(selector: String?)
    /// More than one sensor matches; their paths.
    case several(paths: [String])
    /// The kernel lets this process not open the node.
    case denied(path: String, node: String)
    /// Another program holds the device or the port.
    case busy(path: String, node: String)
    /// The device is there and has no serial interface that this tool can use.
    case noSerialInterface(path: String)
    /// A serial port was asked for that the device does not have; ports count from 1, as `--vcp` does.
    case noSuchSerialPort(path: String, asked: Int, has: Int)
    /// A serial board, and nothing says which firmware speaks there.
    case unknownFirmware(path: String, board: String)
    /// A port was listened to at every known line rate, and none of the known firmwares was heard there.
    case unrecognized(path: String, bytes: UInt64)
    /// A libusb call failed.
    case usb(path: String, operation: String, failure: USBFailure)
    /// A system call on a port or file failed.
    case system(path: String, operation: String, errno: Int32)
    /// The device went away.
    case unplugged(path: String)
    /// An endpoint stalled again right after it was cleared.
    case stalledEndpoint(path: String)
    /// The driver did not take the line rate.
    case rateRefused(path: String, asked: UInt32, got: UInt32)
    /// The firmware refused the configuration; its own line, escaped.
    case configurationRefused(path: String, line: String)
    /// The firmware took no notice of a configuration: its receiver is out of step.
    case receiverMisaligned(path: String)
    /// The board reports that it does not reach its sensor; its own line, escaped.
    case sensorMissing(path: String, line: String)
    /// The board is there and its sensor does not measure: it needs its firmware first, which this tool does not have. What the board
    /// said or did not do.
    case sensorNotRunning(path: String, line: String)
    /// Nothing arrived for this many seconds.
    case silent(path: String, seconds: Double)
    /// Bytes arrive but hold no line of the expected firmware: most likely another line rate.
    case unreadable(path: String, bytes: UInt64, baud: UInt32)
    /// Bytes arrive, and for this many seconds no frame came of them.
    case noFrames(path: String, bytes: UInt64, seconds: Double)
    /// A stream's shape from which no frame can be made honestly.
    case unsupportedShape(path: String, shape: FrameShape)
    /// A recording or capture that cannot be read; what is wrong with it.
    case badRecording(file: String, why: String)
    /// A source that takes no bytes (a recording) was asked to send some.
    case cannotSend(path: String)
}

/// A libusb result, kept as a fact; numbers this build does not know survive.
public enum USBFailure: Error, Equatable, Sendable {
    case denied, gone, busy, notFound, timeout, stalled, overflow, ioError, notSupported
    case other(code: Int32)

    /// `LIBUSB_ERROR_NO_MEM`.
    public static let noMemory = USBFailure.other(code: -11)
}
