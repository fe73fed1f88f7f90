import Foundation
import NLOSCore
import Testing

@Suite struct TransientZonesTests {
    @Test(arguments: [(0, false), (1, true), (64, true), (65, false), (500, false)])
    func zonesAreOneTo64(count: Int, accepted: Bool) {
        let message = TransientMessages.message(zones: (0..<count).map { TransientMessages.zone($0) })
        #expect(verdict(message) == (accepted ? nil : .invalidField("zones")))
    }

    @Test(arguments: [(0, false), (7, false), (8, true), (128, true), (129, false), (5000, false)])
    func binsAre8To128(count: Int, accepted: Bool) {
        let histogram = Array(repeating: 7, count: count)
        let message = TransientMessages.message(zones: (0..<3).map { TransientMessages.zone($0, histogram: histogram) })
        #expect(verdict(message) == (accepted ? nil : .invalidField("zones.histogram")))
    }

    @Test(arguments: [8, 10, 0, 127, 128, 129])
    func everyZoneHasAsManyBins(count: Int) {
        let nine = Array(repeating: 7, count: 9)
        let odd = TransientMessages.zone(1, histogram: Array(repeating: 7, count: count))
        let message = TransientMessages.message(zones: [
            TransientMessages.zone(0, histogram: nine), odd, TransientMessages.zone(2, histogram: nine),
        ])
        #expect(verdict(message) == .invalidField("zones.histogram"))
    }

    @Test(arguments: [[1, 0], [0, 0], [0, 2], [1, 2]])
    func zonesStandInOrder(ids: [Int]) {
        #expect(verdict(TransientMessages.message(zones: ids.map { TransientMessages.zone($0) })) == .invalidField("zones.zoneId"))
    }

    @Test(arguments: [
        ("0.01", true), ("0.0099999", false), ("10", true), ("10.00001", false), ("0", false), ("-1", false), ("1e1", true),
    ])
    func distancesAre1CentimetreTo10Metres(distance: String, accepted: Bool) {
        let message = TransientMessages.message(zones: [TransientMessages.zone(0, distance: distance)])
        #expect(verdict(message) == (accepted ? nil : .invalidField("zones.distanceM")))
    }

    @Test(arguments: [
        Broken("4294967295", "0", nil),
        Broken("4294967295", "4294967296", field: "zones.ambient"),
        Broken("4294967295", "99999999999999999999", field: "zones.ambient"),
        Broken("4294967295", "1.5", .malformed),
        Broken("4294967295", "-1", .malformed),
        Broken("65535", "65536", field: "zones.histogram"),
        Broken("65535", "99999999999999999999", field: "zones.histogram"),
        Broken("65535", "-1", .malformed),
        Broken("65535", "1.0", .malformed),
        Broken("65535", "[1]", .malformed),
        Broken("65535", "", .malformed),
        Broken("65535,3,2]", "65535,3,2,]", .malformed),
        Broken(#""zoneId":1"#, #""zoneId":1.0"#, .malformed),
        Broken(#""zoneId":1"#, #""zoneId":18446744073709551617"#, field: "zones.zoneId"),
        Broken(#""x":-0.1"#, #""x":1e39"#, .malformed),
        Broken(#""x":-0.1"#, #""x":1e38"#, nil),
        Broken(#""x":-0.1"#, #""x":"0.1""#, .malformed),
        Broken(#""x":-0.1,"#, #""x":-0.1,"x":-0.1,"#, .malformed),
        Broken(#""x":-0.1,"#, "", .malformed),
        Broken(#""distanceM":1.5,"#, "", .malformed),
        Broken(#""distanceM":1.5,"#, #""distanceM":1.5,"confidence":1,"#, .malformed),
        Broken(#""zones":["#, #""zones":[null,"#, .malformed),
        Broken(#""zones":["#, #""zones":[["#, .malformed),
        // A zone that breaks a rule does not hide that a later one is not JSON.
        Broken(#""zoneId":0"#, #""zoneId":5"#, field: "zones.zoneId"),
        Broken(#""zoneId":0,"wallPointM":{"x""#, #""zoneId":5,"wallPointM":{"X""#, .malformed),
    ])
    func valuesOfAZone(row: Broken) {
        #expect(verdict(TransientMessages.live.replacingFirst(row.passage, with: row.replacement)) == row.rejection)
    }

    @Test func theFirstZoneAtFaultIsNamedAndAllOfThemAreReadAsJSON() {
        let bad = [
            TransientMessages.zone(0), TransientMessages.zone(1, histogram: [1]), TransientMessages.zone(9), TransientMessages.zone(3),
        ]
        #expect(verdict(TransientMessages.message(zones: bad)) == .invalidField("zones.histogram"))
        #expect(verdict(TransientMessages.message(zones: bad.dropLast() + ["{}"])) == .malformed)
    }
}
