import NLOSCore
import Testing

@testable import TransientSensor

/// No family's stream is ever taken for another one's.
@Suite struct FamilyMatrixTests {
    /// The matrix means something: every family's own session takes its frames.
    @Test(arguments: FamilyStream.Emitter.all)
    func theOwnSessionTakesTheFrames(emitter: FamilyStream.Emitter) throws {
        for stream in try #require(FamilyStream.withOwnHost[emitter]) where stream.damage != .heavy {
            #expect(stream.framesTaken > 1, "\(stream)")
            // And so does one that only hears what was said: the same way by which no other one's takes any.
            #expect(stream.frames(taken: emitter.profile, .join, isRecorded: true) > 0, "\(stream)")
        }
    }

    @Test(arguments: FamilyStream.Emitter.all)
    func noOtherSessionTakesAFrame(emitter: FamilyStream.Emitter) throws {
        let streams = try #require(FamilyStream.withOwnHost[emitter])
        for other in SensorProfile.all where other.family != emitter.profile.family {
            for stream in streams {
                // A recording's session takes frames as they come, a live one after its own questions.
                let cases = [(StreamRequest.join, false)] + other.requests.map { ($0, true) }
                for (request, isRecorded) in cases {
                    let frames = stream.frames(taken: other, request, isRecorded: isRecorded)
                    #expect(frames == 0, "\(stream) as \(other.name), \(request), recorded: \(isRecorded)")
                }
            }
        }
    }

    /// Nor would `probe` name another family, with a host on the line or without one.
    @Test(arguments: FamilyStream.Emitter.all)
    func noOtherWitnessKnowsTheStream(emitter: FamilyStream.Emitter) throws {
        let streams = try #require(FamilyStream.withOwnHost[emitter]) + #require(FamilyStream.withoutHost[emitter])
        for stream in streams {
            for other in SensorProfile.all where other.family != emitter.profile.family {
                var witness = other.makeWitness()
                let isKnown = stream.chunks.contains { $0.bytes.withUnsafeBytes { witness.recognizes($0) } }
                #expect(!isKnown, "\(stream) known to \(other.name)")
            }
        }
    }

    /// What stands on a serial port and is no sensor at all.
    @Test(arguments: OtherTalk.all)
    func nothingIsMadeOfOtherTalk(talk: OtherTalk) {
        let chunks = stride(from: 0, to: talk.bytes.count, by: 512).enumerated().map { index, start in
            (bytes: Array(talk.bytes[start..<min(start + 512, talk.bytes.count)]), ns: UInt64(index) * 5_000_000)
        }
        for profile in SensorProfile.all {
            for request in profile.requests {
                #expect(
                    FamilyStream.frames(taken: profile, request, isRecorded: true, from: chunks) == 0, "\(talk) as \(profile.name)")
            }
        }
    }
}
