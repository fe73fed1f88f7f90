import CLibUSB

extension USBFailure {
    /// From the return value of a libusb function. Never from a transfer's status or an errno.
    init(returned code: Int32) {
        switch libusb_error(rawValue: code) {
        case LIBUSB_ERROR_ACCESS: self = .denied
        case LIBUSB_ERROR_NO_DEVICE: self = .gone
        case LIBUSB_ERROR_BUSY: self = .busy
        case LIBUSB_ERROR_NOT_FOUND: self = .notFound
        case LIBUSB_ERROR_TIMEOUT: self = .timeout
        case LIBUSB_ERROR_PIPE: self = .stalled
        case LIBUSB_ERROR_OVERFLOW: self = .overflow
        case LIBUSB_ERROR_IO: self = .ioError
        case LIBUSB_ERROR_NOT_SUPPORTED: self = .notSupported
        default: self = .other(code: code)
        }
    }

    /// Throws what a libusb function returned, unless it is a success.
    static func check(_ code: Int32) throws(USBFailure) {
        guard code >= 0 else { throw USBFailure(returned: code) }
    }
}

/// How a transfer came home. Its bytes count whatever this says, except after an overflow.
enum TransferEnd: Equatable, Sendable {
    case completed, timedOut, cancelled, stalled, gone, overflowed
    /// A line error, or a status this build does not know.
    case failed

    init(status: libusb_transfer_status) {
        switch status {
        case LIBUSB_TRANSFER_COMPLETED: self = .completed
        case LIBUSB_TRANSFER_TIMED_OUT: self = .timedOut
        case LIBUSB_TRANSFER_CANCELLED: self = .cancelled
        case LIBUSB_TRANSFER_STALL: self = .stalled
        case LIBUSB_TRANSFER_NO_DEVICE: self = .gone
        case LIBUSB_TRANSFER_OVERFLOW: self = .overflowed
        default: self = .failed
        }
    }

    /// Whether bytes are missing after it, though nobody may know how many.
    var leavesHole: Bool {
        switch self {
        case .stalled, .overflowed, .failed: true
        case .completed, .timedOut, .cancelled, .gone: false
        }
    }
}
