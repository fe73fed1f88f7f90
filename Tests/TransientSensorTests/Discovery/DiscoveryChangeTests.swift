import NLOSCore
import Testing

@testable import TransientSensor

@Suite struct DiscoveryChangeTests {
    private func changes(_ before: [AttachedSensor], _ after: [AttachedSensor]) -> [String] {
        let known = Dictionary(uniqueKeysWithValues: before.map { ($0.busPath, $0) })
        return DiscoveryMonitor.changes(from: known, to: after).map { "\($0.kind.rawValue) \($0.sensor.path) \($0.sensor.deviceNumber)" }
    }

    private let one = AttachedSensor.made(of: .nucleo("1-1", deviceNumber: 7))
    private let two = AttachedSensor.made(of: .nucleo("1-2", deviceNumber: 8))

    @Test func whatIsListedAlreadyIsNoNews() { #expect(changes([one, two], [one, two]).isEmpty) }

    @Test func plugAndUnplug() {
        #expect(changes([one], [one, two]) == ["added usb:1-2 8"])
        #expect(changes([one, two], [two]) == ["removed usb:1-1 7"])
    }

    @Test func anotherNumberInTheSamePlaceIsAReplug() {
        let again = AttachedSensor.made(of: .nucleo("1-1", deviceNumber: 9))
        #expect(changes([one], [again]) == ["removed usb:1-1 7", "added usb:1-1 9"])
    }

    @Test func accessIsNewsAndATtyByItselfIsNot() {
        let denied = AttachedSensor.made(of: .nucleo("1-1", deviceNumber: 7), mayOpen: false)
        #expect(changes([denied], [one]) == ["access_changed usb:1-1 7"])
        var bare = DeviceFacts.nucleo("1-1", deviceNumber: 7)
        bare.serialNodes = []
        #expect(changes([.made(of: bare)], [one]).isEmpty)
    }

    @Test(arguments: [(2.5, true), (2.6, false)]) func fiveArrivalsInTenSecondsAreALoop(secondsApart: Double, loop: Bool) throws {
        var arrivals = Arrivals()
        let place = try #require(BusPath("1-1"))
        let verdicts = (0..<5).map { arrivals.note(place, nowNs: UInt64(Double($0) * secondsApart * 1e9)) }
        #expect(verdicts == [false, false, false, false, loop])
        #expect(!arrivals.note(try #require(BusPath("1-2")), nowNs: 10_000_000_000))
    }

    @Test func aLoopIsItsOwnDiagnosis() {
        #expect(DiscoveryChange(.added, one).diagnosis == nil)
        #expect(DiscoveryChange(.added, one, isResetLoop: true).diagnosis?.text.contains("resets itself") == true)
    }
}
