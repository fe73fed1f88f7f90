extension LineCoding {
    /// The 7 bytes of SET_LINE_CODING: baud, little endian; one stop bit; parity; 8 data bits.
    var cdcBytes: [UInt8] {
        [UInt8(truncatingIfNeeded: baud), UInt8(truncatingIfNeeded: baud >> 8), UInt8(truncatingIfNeeded: baud >> 16), UInt8(baud >> 24)]
            + [0, parity.rawValue, 8]
    }

    /// Compares with what GET_LINE_CODING answered.
    func check(_ answer: [UInt8], path: String) throws(SensorError) {
        guard answer.count == 7 else {
            throw .usb(path: path, operation: "GET_LINE_CODING (\(answer.count) of 7 bytes)", failure: .ioError)
        }
        let got = answer.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard tolerates(got) else { throw .rateRefused(path: path, asked: baud, got: got) }
        guard Array(answer[4...]) == Array(cdcBytes[4...]) else {
            throw .usb(path: path, operation: "set parity and stop bits", failure: .notSupported)
        }
    }
}
