extension EmulatedDepz {
    static let deviceName = "DEPZ-VL53L8"
    static let software = "APP_VL53L8_v0.9"
    static let serialNumber = "SN000005"

    /// Answers one packet of the host.
    mutating func answer(_ packet: DepzPacket) {
        let (id, payload) = (packet.header.id, Array(packet.payload))
        if let expectedHostSequence, packet.header.sequence != expectedHostSequence {
            queue(0x84, [expectedHostSequence, packet.header.sequence])
        }
        expectedHostSequence = packet.header.sequence &+ 1
        let time = Self.bytes(boardUs)
        switch id {
        case 0x03: queue(0x81, [id] + Array(Self.deviceName.utf8) + [0])
        case 0x04: queue(0x81, [id] + Array(Self.software.utf8) + [0])
        case 0x05: queue(0x81, [id] + Array(Self.serialNumber.utf8) + [0])
        case 0x06 where payload.count == 8: queue(0x82, payload + time + time)
        case 0x07: queue(0x83, time + [0x45, 0x01])
        case 0x08: queue(0x87, [UInt8(protection.rawValue)])
        case 0x09: setProtection(payload)
        case 0x32: readRegisters(payload, time)
        case 0x33: writeRegisters(payload)
        case 0x35: startStream(payload)
        case 0x36:
            frameBytes = nil
            nextFrameNs = Self.never
            status(id, 0)
        default: status(id, 2)
        }
    }

    private mutating func queue(_ id: UInt8, _ payload: [UInt8]) { answers.append((clockNs + Self.answerNs, id, payload)) }

    private mutating func status(_ id: UInt8, _ code: UInt8) { queue(0x80, [id, code]) }

    private mutating func setProtection(_ payload: [UInt8]) {
        guard payload.count == 1, let kind = DepzProtection(rawValue: UInt16(payload[0])) else { return status(0x09, 4) }
        protection = kind
        status(0x09, 0)
    }

    private mutating func readRegisters(_ payload: [UInt8], _ time: [UInt8]) {
        guard payload.count == 4 else { return status(0x32, 3) }
        let length = Int(payload[2]) | Int(payload[3]) << 8
        guard length <= 2_295 else { return status(0x32, 4) }
        queue(0x91, [0x32] + time + registers.read(Int(payload[0]) | Int(payload[1]) << 8, length))
    }

    private mutating func writeRegisters(_ payload: [UInt8]) {
        guard (3...2_304).contains(payload.count) else { return status(0x33, 3) }
        registers.write(Int(payload[0]) | Int(payload[1]) << 8, payload[2...])
        if faults.sensor == .working {
            registers.answerQuestion(frameBytes: sensor.frameBytes, histogram: hasHistograms ? DepzSensor.histogramSetting : nil)
        }
        status(0x33, 0)
    }

    private mutating func startStream(_ payload: [UInt8]) {
        guard payload.count == 2 else { return status(0x35, 3) }
        if let code = faults.refusalStatus { return status(0x35, code) }
        switch faults.sensor {
        case .working: break
        case .refusingFirmware: return status(0x35, 8)
        case .missing: return status(0x35, 9)
        // Takes everything, and measures nothing.
        case .wrongId: return status(0x35, 0)
        }
        let size = Int(payload[0]) | Int(payload[1]) << 8
        guard (1...8_192).contains(size) else { return status(0x35, 4) }
        frameBytes = size
        nextFrameNs = framesPrinted == faults.silentAfterFrames ? Self.never : clockNs + Self.answerNs + Self.periodNs
        status(0x35, 0)
    }

    private static func bytes(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
}

// MARK: - Frames

extension EmulatedDepz {
    /// Data of a chunk. Source: DEPZ `STREAM_CHUNK_MAX`.
    private static let chunkBytes = 1_528

    mutating func sendFrame() {
        guard let frameBytes else { return }
        let ordinal = framesPrinted + 1
        let switches = faults.depz
        func happens(_ fault: DepzFault) -> Bool { switches[fault].map { ordinal % $0 == 0 } ?? false }
        var data = sensor.frame(isTorn: happens(.tornFrame), magic: happens(.magicInPayload))
        if data.count > frameBytes { data.removeSubrange(frameBytes...) }
        data += Array(repeating: 0xa5, count: frameBytes - data.count)
        let time = Self.bytes(boardUs)
        if happens(.packetGap) { sequence &+= 7 }
        send { outgoing in
            if happens(.emptyPayload) { outgoing.append(0xf0, [], protection: .crc32) }
            for offset in stride(from: 0, to: data.count, by: Self.chunkBytes) {
                let part = data[offset..<min(offset + Self.chunkBytes, data.count)]
                let isLast = part.endIndex == data.count
                if happens(.missingChunk), isLast {
                    outgoing.sequence &+= 1
                    continue
                }
                let size = happens(.changingSize) && isLast ? data.count + 4 : data.count
                let chunk = time + DepzSetting.littleEndian(UInt16(size)) + DepzSetting.littleEndian(UInt16(offset)) + part
                outgoing.append(0x93, chunk, protection: happens(.payloadChecksum) ? .crc16 : nil) { packet in
                    guard isLast else { return }
                    if happens(.headerChecksum) { packet[6] ^= 0x10 }
                    if happens(.payloadChecksum) { packet[packet.count - 1] ^= 0x01 }
                    if happens(.wrongProtection) { Self.nameOtherProtection(&packet) }
                }
            }
        }
        awaitFrame()
        if framesSinceReset == faults.resetAfterFrames {
            transmitter.tear()
            resetsAfterText = true
        } else {
            framesPrinted += 1
            framesSinceReset += 1
            if framesPrinted == faults.silentAfterFrames { nextFrameNs = Self.never }
        }
    }

    private mutating func awaitFrame() {
        let periods = sensor.next { Double(clockNs + $0 * Self.periodNs - startNs) * 1e-9 }
        nextFrameNs = clockNs + periods * Self.periodNs
        if let every = faults.extractionErrorEvery, (framesPrinted + 2) % every == 0 {
            sensor.lose()
            nextFrameNs += Self.periodNs
        }
    }

    /// The kind bits of the size, and a header checksum that fits them.
    private static func nameOtherProtection(_ packet: inout [UInt8]) {
        packet[3] ^= 0x80
        packet[6] = UInt8(packet[2..<6].withUnsafeBytes { DepzChecksum.crc8.sum(of: $0) })
    }
}

/// The sensor's registers, and its way of answering questions through them.
struct DepzRegisters: Sendable {
    private var bytes = [UInt8](repeating: 0, count: 65_536)

    func read(_ address: Int, _ length: Int) -> [UInt8] { (0..<length).map { bytes[(address + $0) & 0xffff] } }

    mutating func write(_ address: Int, _ data: some Collection<UInt8>) {
        for (offset, byte) in data.enumerated() { bytes[(address + offset) & 0xffff] = byte }
    }

    /// A question ends at 0x2fff: index and length, then a fixed trailer. The answer is at 0x2c04, words turned round.
    mutating func answerQuestion(frameBytes: Int, histogram: [UInt8]?) {
        let question = read(0x2ff4, 12)
        guard Array(question[4...]) == [0, 0, 0, 0x0f, 0, 2, 0, 8] else { return }
        write(0x2ff4, Array(repeating: 0, count: 12))
        var data: [UInt8]
        switch (question[0], question[1]) {
        case (0x54, 0x40): data = [0, 0, 0, 0, 0, 0, 0, 0, UInt8(frameBytes & 0xff), UInt8(frameBytes >> 8), 0, 0]
        case (0xbf, 0xac) where histogram != nil: data = histogram ?? []
        default: return write(0x2c00, [0, 0, 0x7f, 0])
        }
        data = data.indices.map { data[$0 ^ 3] }
        write(0x2c00, [0, 3, 0, 0] + question[0..<4] + data + Array(repeating: 0, count: 8))
    }
}
