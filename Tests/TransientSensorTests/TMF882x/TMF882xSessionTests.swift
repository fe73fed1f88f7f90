import Testing

@testable import TransientSensor

struct TMF882xSessionTests {
    static let ams = SensorProfile.tmf882xAms
    static let cc = SensorProfile.tmf882xCCHardware
    static let mini = SensorProfile.tmf882xMiniTof

    struct Way: Sendable, CustomTestStringConvertible {
        let profile: SensorProfile
        let request: StreamRequest
        let shape: FrameShape
        let sent: String
        var testDescription: String { "\(profile.name) \(request)" }
    }

    /// From power-up to frames: one command after the other.
    @Test(arguments: [
        Way(profile: ams, request: .join, shape: FrameShape(zones: 9, bins: 128), sent: "oEzm"),
        Way(profile: ams, request: .light, shape: FrameShape(zones: 9, bins: 0), sent: "oEm"),
        Way(profile: ams, request: .grid(side: 3), shape: FrameShape(zones: 9, bins: 128), sent: "oEzm"),
        Way(profile: ams, request: .grid(side: 4), shape: FrameShape(zones: 16, bins: 128), sent: "oEcczm"),
        Way(profile: ams, request: .grid(side: 8), shape: FrameShape(zones: 64, bins: 128), sent: "ezm"),
        Way(profile: cc, request: .join, shape: FrameShape(zones: 9, bins: 128), sent: "oEzm"),
        Way(profile: cc, request: .light, shape: FrameShape(zones: 16, bins: 0), sent: "oEcm"),
        Way(profile: cc, request: .grid(side: 3), shape: FrameShape(zones: 9, bins: 128), sent: "oEzm"),
        Way(profile: cc, request: .grid(side: 4), shape: FrameShape(zones: 16, bins: 128), sent: "oEczm"),
        Way(profile: cc, request: .grid(side: 8), shape: FrameShape(zones: 64, bins: 128), sent: "eczm"),
        Way(profile: mini, request: .join, shape: FrameShape(zones: 9, bins: 128), sent: ""),
        Way(profile: mini, request: .light, shape: FrameShape(zones: 9, bins: 128), sent: ""),
    ])
    func fromPowerUpToFrames(way: Way) throws {
        let talk = try TMF882xTalk(way.profile, way.request)
        #expect(talk.failure == nil && talk.faults.isEmpty && talk.gaps.isEmpty)
        #expect(talk.frames.count == 5 && talk.shapes == [way.shape])
        #expect(talk.sent == way.sent)
        #expect(talk.frames.allSatisfy { $0.temperatureC == 24 && $0.confidence?.count == way.shape.zones })
        #expect(talk.session.counters.framesMissing == 0)
        #expect(talk.session.farewell == (way.sent.isEmpty ? [] : Array("s".utf8)))
    }
}
