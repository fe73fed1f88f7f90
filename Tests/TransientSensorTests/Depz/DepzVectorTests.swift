import Foundation
import Testing

@testable import TransientSensor

/// DEPZ's own vectors of its transport.
@Suite(.enabled(if: RecordedFrames.folder != nil, "needs the public recordings (NLOS_RECORDINGS)"))
struct DepzVectorTests {
    @Test func checksums() throws {
        struct Vectors: Decodable {
            struct Case: Decodable {
                let name: String
                let input: String
                let crc8Maxim: UInt32
                let crc16Modbus: UInt32
                let crc32IsoHdlc: UInt32
            }
            let cases: [Case]
        }
        let cases = try DepzRecording.vectors("crc.json", as: Vectors.self).cases
        #expect(cases.count >= 5)
        for vector in cases {
            DepzRecording.bytes(vector.input).withUnsafeBytes { bytes in
                #expect(DepzChecksum.crc8.sum(of: bytes) == vector.crc8Maxim, "\(vector.name)")
                #expect(DepzChecksum.crc16.sum(of: bytes) == vector.crc16Modbus, "\(vector.name)")
                #expect(DepzChecksum.crc32.sum(of: bytes) == vector.crc32IsoHdlc, "\(vector.name)")
            }
        }
    }

    @Test func packetsAreComposed() throws {
        struct Vectors: Decodable {
            struct Case: Decodable {
                let name: String
                let cmd: UInt8
                let seq: Int
                let crcType: UInt16
                let payload: String
                let frame: String
            }
            let cases: [Case]
        }
        let cases = try DepzRecording.vectors("framing_encode.json", as: Vectors.self).cases
        #expect(cases.count >= 8)
        for vector in cases {
            let packet = DepzPacket.bytes(
                id: vector.cmd, sequence: UInt8(truncatingIfNeeded: vector.seq),
                protection: try #require(DepzProtection(rawValue: vector.crcType)),
                payload: DepzRecording.bytes(vector.payload))
            #expect(packet == DepzRecording.bytes(vector.frame), "\(vector.name)")
        }
    }

    /// Whole, byte by byte, and at every split point.
    @Test func packetsAreFound() throws {
        struct Vectors: Decodable {
            struct Event: Decodable, Equatable {
                let type: String
                let cmd: UInt8
                let seq: UInt8
                let payload: String?
            }
            struct Expect: Decodable {
                let events: [Event]
                let trash: String
                let residue: String
                let headerErrors: Int
            }
            struct Case: Decodable {
                let name: String
                let stream: String
                let expect: Expect
            }
            let cases: [Case]
        }
        let cases = try DepzRecording.vectors("framing_decode.json", as: Vectors.self).cases
        #expect(cases.count >= 10)
        for vector in cases {
            let stream = DepzRecording.bytes(vector.stream)
            let cuts = [[], Array(1..<stream.count)] + (1..<min(stream.count, 60)).map { [$0] }
            for cut in cuts {
                var framing = DepzFraming(mostPayload: DepzHeader.mostPayload)
                var events: [Vectors.Event] = []
                var (trash, wrongHeaders) = (0, 0)
                for (start, end) in zip([0] + cut, cut + [stream.count]) {
                    stream[start..<end].withUnsafeBytes { chunk in
                        framing.push(chunk) { event in
                            switch event {
                            case .packet(let packet):
                                let payload = packet.payload.map { String(format: "%02x", $0) }.joined()
                                events.append(.init(type: "packet", cmd: packet.header.id, seq: packet.header.sequence, payload: payload))
                            case .damagedPayload(let header, _):
                                events.append(.init(type: "crc_error", cmd: header.id, seq: header.sequence, payload: nil))
                            case .damagedHeader:
                                wrongHeaders += 1
                                trash += 1
                            case .skipped(let bytes): trash += bytes
                            }
                        }
                    }
                }
                #expect(events == vector.expect.events, "\(vector.name) cut at \(cut)")
                #expect(wrongHeaders == vector.expect.headerErrors && trash == vector.expect.trash.count / 2, "\(vector.name)")
                #expect(framing.bytesHeld == vector.expect.residue.count / 2, "\(vector.name)")
            }
        }
    }

    @Test func softwareIsRecognised() throws {
        struct Vectors: Decodable {
            struct Expect: Decodable {
                let mode: String
                let sensorType: String?
                let softwareName: String
            }
            struct Case: Decodable {
                let raw: String
                let expect: Expect
            }
            let cases: [Case]
        }
        let cases = try DepzRecording.vectors("identity.json", as: Vectors.self).cases
        #expect(cases.count >= 8)
        for vector in cases {
            let packet = DepzPacket.bytes(id: DepzId.text, sequence: 0, payload: [DepzId.software] + DepzRecording.bytes(vector.raw))
            var decoder = DepzDecoder()
            #expect(decoder.events(of: packet) == [.reply(.text(command: DepzId.software, vector.expect.softwareName))])
            let expected: DepzSoftware =
                switch (vector.expect.mode, vector.expect.sensorType) {
                case ("app", "vl53l8"): .vl53l8Application
                case ("app", _): .otherApplication
                case ("bootloader", _): .bootLoader
                default: .unknown
                }
            #expect(DepzSoftware(vector.expect.softwareName) == expected)
        }
    }

    /// Of the common reports those that this tool asks for or counts; time and temperature of the microcontroller are none of them.
    @Test func reportsAreRead() throws {
        struct Vectors: Decodable {
            struct Expect: Decodable {
                let cmd: UInt8?
                let status: UInt8?
                let text: String?
                let expectedSeq: UInt8?
                let receivedSeq: UInt8?
            }
            struct Case: Decodable {
                let report: UInt8
                let payload: String
                let expect: Expect
            }
            let decode: [Case]
        }
        var read = 0
        for vector in try DepzRecording.vectors("common_commands.json", as: Vectors.self).decode {
            var decoder = DepzDecoder()
            let events = decoder.events(of: DepzPacket.bytes(id: vector.report, sequence: 0, payload: DepzRecording.bytes(vector.payload)))
            let expect = vector.expect
            let reply: DepzReply =
                switch (expect.cmd, expect.status, expect.text, expect.expectedSeq, expect.receivedSeq) {
                case (let command?, let code?, nil, nil, nil): .status(command: command, code: code)
                case (let command?, nil, let text?, nil, nil): .text(command: command, text)
                case (nil, nil, nil, let expected?, let received?): .sequenceError(expected: expected, received: received)
                default: .other(id: vector.report)
                }
            #expect(events == [.reply(reply)])
            if reply != .other(id: vector.report) { read += 1 }
        }
        #expect(read >= 4)
    }

    /// The two boards that this tool reads are sensor boards with their profile; of every other DEPZ id it makes none.
    @Test func usbIds() throws {
        struct Vectors: Decodable {
            struct Identity: Decodable {
                let vid: UInt16
                let pid: UInt16
                let model: String?
            }
            let identity: [Identity]
        }
        let identities = try DepzRecording.vectors("usb_ids.json", as: Vectors.self).identity
        #expect(identities.count > 20)
        for identity in identities {
            let known = KnownBoard.find(vendorId: identity.vid, productId: identity.pid)
            let profile: SensorProfile? =
                switch identity.model {
                case "vl53l8ch": .depzVL53L8CH
                case "vl53l8cx": .depzVL53L8CX
                default: nil
                }
            #expect(known?.profile?.name == profile?.name)
            #expect((known?.kind == .sensorBoard) == (profile != nil))
        }
    }

    /// The block of a live sensor, mantissa by mantissa.
    @Test func histograms() throws {
        struct Vector: Decodable {
            struct Expected: Decodable {
                struct Aggregate: Decodable {
                    let histRaw: [Int32]
                    let histScaler: [Int8]
                }
                let refResidualWord: UInt32
                let aggregates: [Aggregate]
            }
            let cnhRaw: String
            let expected: Expected
        }
        let vector = try DepzRecording.vectors("vl53l8_cnh.json", as: Vector.self)
        // The vector's words have been turned already.
        let raw = DepzRecording.bytes(vector.cnhRaw)
        let wire = raw.indices.map { raw[$0 ^ 3] }
        let (histogram, thousandths) = try wire.withUnsafeBytes { bytes in
            let block = try #require(CompactHistogramBlock(bytes))
            return (CompactHistogram(block), try #require(block.thousandths()))
        }
        #expect(histogram.aggregates == 16 && histogram.bins == 20)
        #expect(histogram.referenceResidual == vector.expected.refResidualWord)
        #expect(histogram.values.map(\.mantissa) == vector.expected.aggregates.flatMap(\.histRaw))
        #expect(histogram.values.map(\.exponent) == vector.expected.aggregates.flatMap(\.histScaler))
        #expect(thousandths == (try RecordedFrames.liveBlock()).histogram)
        #expect(thousandths.prefix(4) == [17_906, 4_068, 2_006, 1_159])
        #expect(histogram.ambient.allSatisfy { $0.exponent > 0 })
    }
}
