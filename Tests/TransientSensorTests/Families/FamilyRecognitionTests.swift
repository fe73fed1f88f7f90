import NLOSCore
import Testing

@testable import TransientSensor

/// `probe --open` on an unknown port: the family is named from what the board says, and nothing is named by mistake.
@Suite struct FamilyRecognitionTests {
    /// Bytes within which a board that speaks by itself is known.
    private static let enough = 65_536

    /// The first profile that is named, and after how many bytes at the latest.
    private func named(_ bytes: [UInt8], at coding: LineCoding, piece: Int) -> (profile: SensorProfile, within: Int)? {
        var recognizer = FirmwareRecognizer(at: coding)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let end = min(start + piece, bytes.count)
            let known = bytes[start..<end].withUnsafeBytes { recognizer.hear($0) }
            if let known { return (known, end) }
        }
        return nil
    }

    /// A board that streams is known at its own rate for what it is, and for its family even if the port is said to be at another one.
    @Test(arguments: FamilyStream.Emitter.all, [Joining.atReset, .midStream])
    func everyFamilyIsNamed(emitter: FamilyStream.Emitter, joining: Joining) throws {
        let profile = emitter.profile
        let stream = FamilyStream.withoutHost[emitter]?.first { $0.joining == joining && $0.damage == .none }
        let bytes = try #require(stream).bytes
        // Before it is asked, a board may say nothing.
        guard joining == .midStream || !bytes.isEmpty else { return }
        let exact = try #require(named(bytes, at: profile.lineCoding, piece: 1), "not known in \(bytes.count) bytes")
        #expect(exact.profile.family == profile.family && exact.profile.lineCoding == profile.lineCoding, "\(exact.profile.name)")
        #expect(exact.within <= Self.enough)
        // The answer comes with the same byte, whatever pieces the bytes come in.
        for piece in [7, 64, 512, bytes.count] {
            let found = named(bytes, at: profile.lineCoding, piece: piece)
            #expect(found?.profile.name == exact.profile.name, "pieces of \(piece)")
            #expect(found?.within == min(bytes.count, (exact.within + piece - 1) / piece * piece), "pieces of \(piece)")
        }
        for other in SensorProfile.all {
            let found = named(bytes, at: other.lineCoding, piece: 512)
            #expect(found?.profile.family == profile.family, "at \(other.lineCoding): \(found?.profile.name ?? "nothing")")
        }
    }

    /// Damage on the line delays the answer and does not change it.
    @Test(arguments: FamilyStream.Emitter.all)
    func aDamagedStreamIsNamedAllTheSame(emitter: FamilyStream.Emitter) throws {
        let profile = emitter.profile
        let stream = FamilyStream.withoutHost[emitter]?.first { $0.joining == .midStream && $0.damage == .light }
        let found = named(try #require(stream).bytes, at: profile.lineCoding, piece: 64)
        #expect(found?.profile.family == profile.family)
    }

    /// On a port with another line coding a board is garbage, or is known all the same where its line has no rate of its own.
    @Test(arguments: FamilyStream.Emitter.all)
    func aWrongLineCodingNamesNobodyElse(emitter: FamilyStream.Emitter) {
        for coding in SensorProfile.all.map(\.lineCoding) where coding != emitter.profile.lineCoding {
            let stream = FamilyStream(emitter, .midStream, .none, host: .nobody, coding: coding)
            let found = named(stream.bytes, at: coding, piece: 512)
            #expect(found == nil || found?.profile.family == emitter.profile.family, "at \(coding): \(found?.profile.name ?? "")")
        }
    }

    @Test(arguments: OtherTalk.all)
    func nothingElseIsNamed(talk: OtherTalk) {
        for piece in [1, 64, talk.bytes.count] {
            let found = named(talk.bytes, at: SensorProfile.all[0].lineCoding, piece: piece)
            #expect(found == nil, "\(talk) taken for \(found?.profile.name ?? "")")
        }
    }
}
