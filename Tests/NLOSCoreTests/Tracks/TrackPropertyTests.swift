import NLOSCore
import Testing

/// Random messages that keep the contract, and what a changed byte makes of them.
@Suite struct TrackPropertyTests {
    @Test("valid random messages are accepted, and say what was written", arguments: 0..<8)
    func validMessages(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<12 {
            let wanted = try RandomTracks.message(&random)
            let envelope = try TrackEnvelope.decode(wanted.bytes, atUnixMs: wanted.nowUnixMs)
            #expect(envelope.sessionId == wanted.sessionId)
            #expect(envelope.sequence == wanted.sequence)
            #expect(envelope.capturedAtUnixMs == wanted.capturedAtUnixMs)
            #expect(envelope.expiresAtUnixMs == wanted.expiresAtUnixMs)
            #expect(envelope.algorithmVersion == wanted.algorithmVersion)
            #expect(envelope.evidence == wanted.evidence)
            #expect(envelope.sensor == wanted.sensor)
            #expect(envelope.tracks.count == wanted.tracks.count)
            for (track, numbers) in zip(envelope.tracks, wanted.tracks) {
                #expect(track.trackId == numbers.id)
                #expect(track.state == numbers.state)
                let found = [track.positionM, track.velocityMps, track.covarianceDiagonalM2].flatMap { [$0.x, $0.y, $0.z] }
                #expect(found.map(\.bitPattern) == numbers.vectors.map(\.bitPattern))
                let shares = [
                    track.confidence, track.posteriorEntropy, track.signalQuality, track.contributions.lidar, track.contributions.csi,
                ]
                #expect(shares.map(\.bitPattern) == numbers.shares.map(\.bitPattern))
            }
        }
    }

    @Test("a changed, lost or doubled byte never traps, and what passes keeps the bounds", arguments: 0..<8)
    func mutations(seed: UInt64) throws {
        var random = SplitMix64(seed: seed &+ 100)
        let bytes: [UInt8] = Array("\"\\{}[]:,-+.eE019 \n\0ulx".utf8) + [0x80, 0xc0, 0xed, 0xff]
        for _ in 0..<6 {
            let wanted = try RandomTracks.message(&random)
            for _ in 0..<80 {
                var message = wanted.bytes
                let place = Int.random(in: message.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: message.remove(at: place)
                case 1: message.insert(message[place], at: place)
                case 2: message[place] = UInt8.random(in: .min...(.max), using: &random)
                default: message[place] = bytes.randomElement(using: &random) ?? 0
                }
                guard let envelope = try? TrackEnvelope.decode(message, atUnixMs: wanted.nowUnixMs) else { continue }
                #expect(envelope.expiresAtUnixMs > wanted.nowUnixMs)
                #expect(envelope.expiresAtUnixMs - envelope.capturedAtUnixMs <= 5_000)
                #expect(envelope.tracks.count <= 16)
                #expect(Set(envelope.tracks.map(\.trackId)).count == envelope.tracks.count)
                for track in envelope.tracks {
                    let position = track.positionM
                    #expect([position.x, position.y, position.z].allSatisfy { abs($0) <= 100 })
                    #expect(abs(track.contributions.lidar + track.contributions.csi - 1) < 0.00100001)
                }
            }
        }
    }

    @Test("numbers of every length come out as the nearest double") func numbers() {
        var random = SplitMix64(seed: 9)
        for _ in 0..<4_000 {
            let digits = Int.random(in: 1...21, using: &random)
            var text = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
            let point = Int.random(in: 1...digits, using: &random)
            text.insert(".", at: text.index(text.startIndex, offsetBy: point))
            if text.hasSuffix(".") { text += "0" }
            while text.hasPrefix("0"), !text.hasPrefix("0.") { text.removeFirst() }
            if Bool.random(using: &random) { text = "-" + text }
            if Bool.random(using: &random) { text += "e\(Int.random(in: -30...10, using: &random))" }
            #expect(readDouble(text)?.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test(
        "numbers next to a tie go to even",
        arguments: [
            "9007199254740993.0", "9007199254740993.00", "9007199254740995.0", "9007199254740992.5", "900719925474099.25",
            "450359962737049.625",
            "450359962737049.6250", "0.5000000000000000278", "0.4999999999999999722", "1.000000000000000111", "1.000000000000000333",
            "1.0000000000000001110", "99.99999999999999289", "99.9999999999999928", "9999999999999999.999", "18446744073709551.615",
            "1844674407370955.1615", "0.000000000000000001", "1e-27", "9223372036854775807e-27", "9223372036854775807e-28", "0.0e-5",
            "0.00000000000000000",
        ])
    func ties(text: String) { #expect(readDouble(text)?.bitPattern == Double(text)?.bitPattern) }
}
