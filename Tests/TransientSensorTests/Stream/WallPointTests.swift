import Foundation
import NLOSCore
import Testing

@testable import TransientSensor

/// Where each zone's ray meets the wall, against what the contract's words mean, in Double and the other way round: from the point back
/// to its angles.
@Suite struct WallPointTests {
    struct Case: Sendable {
        let side: Int
        let geometry: DistanceGeometry
        /// Degrees; not equal, so that swapped axes differ.
        let view: (x: Double, y: Double)
    }

    @Test(arguments: [
        Case(side: 4, geometry: .alongAxis, view: (45, 45)), Case(side: 8, geometry: .alongAxis, view: (45, 45)),
        Case(side: 4, geometry: .alongRay, view: (45, 45)), Case(side: 8, geometry: .alongRay, view: (45, 45)),
        Case(side: 8, geometry: .alongAxis, view: (55, 35)), Case(side: 8, geometry: .alongRay, view: (55, 35)),
    ])
    func everyZone(testCase: Case) throws {
        let (side, view) = (testCase.side, testCase.view)
        let profile = SensorProfile.test(
            geometry: testCase.geometry, view: FieldOfView(degreesX: Float(view.x), degreesY: Float(view.y)))
        var views = try FrameViewsTests.views(zones: side * side, profile: profile)
        let distances = (0..<(side * side)).map { 400 + Int64($0) * 37 }
        let frame = FirmwareFrame(
            bins: 8, ambient: distances, distanceMm: distances, histogram: [Int64](repeating: 1, count: 8 * side * side),
            arrival: at(1))
        let made = try views.transient(of: frame, pose: .fixed)
        for row in 0..<side {
            for column in 0..<side {
                let point = made.zones.wallPointsM[row * side + column]
                let (x, y, z) = (Double(point.x), Double(point.y), Double(point.z))
                let reported = Double(distances[row * side + column]) / 1000
                // The middle of the zone, in degrees from the optical axis: columns from left to right, rows from the first to the last.
                let across = (Double(column) - Double(side - 1) / 2) * view.x / Double(side)
                let down = (Double(row) - Double(side - 1) / 2) * view.y / Double(side)
                let length = (x * x + y * y + z * z).squareRoot()
                #expect(abs(degrees(atan2(x, z)) - across) < 1e-4)
                switch testCase.geometry {
                case .alongAxis:
                    #expect(abs(degrees(atan2(y, z)) - down) < 1e-4)
                    #expect(abs(z - reported) < 1e-6 * reported && length > reported)
                case .alongRay:
                    #expect(abs(degrees(asin(y / length)) - down) < 1e-4)
                    #expect(abs(length - reported) < 1e-6 * reported && z < reported)
                }
            }
        }
    }

    /// The corners and the zones at the centre, worked out by hand: metres at 1 m, first along the axis, then along the ray.
    @Test(arguments: [
        (4, 0, -0.303_346_683, -0.303_346_683), (4, 3, 0.303_346_683, -0.303_346_683), (4, 12, -0.303_346_683, 0.303_346_683),
        (4, 15, 0.303_346_683, 0.303_346_683), (4, 6, 0.098_491_403, -0.098_491_403), (4, 9, -0.098_491_403, 0.098_491_403),
        (8, 0, -0.357_805_722, -0.357_805_722), (8, 7, 0.357_805_722, -0.357_805_722), (8, 56, -0.357_805_722, 0.357_805_722),
        (8, 63, 0.357_805_722, 0.357_805_722), (8, 28, 0.049_126_850, -0.049_126_850),
    ])
    func cornersAndCentre(side: Int, zone: Int, x: Double, y: Double) {
        let point = SensorProfile.nucleoVL53L8CH.wallPointAtOneMetre(zone: zone, grid: ZoneGrid(width: side, height: side))
        #expect(abs(Double(point.x) - x) < 1e-6 && abs(Double(point.y) - y) < 1e-6 && point.z == 1)
    }

    /// 4x4, the first corner: 16.875 degrees on both axes.
    @Test func cornerAlongTheRay() {
        let point = SensorProfile.test(geometry: .alongRay).wallPointAtOneMetre(zone: 0, grid: ZoneGrid(width: 4, height: 4))
        #expect(abs(point.x + 0.277_785_116) < 1e-6 && abs(point.y + 0.290_284_677) < 1e-6 && abs(point.z - 0.915_734_806) < 1e-6)
    }

    private func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}
