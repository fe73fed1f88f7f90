import NLOSCore
import Testing

@Suite struct GeometryTests {
    @Test(
        arguments: [
            (1, 1), (4, 2), (9, 3), (16, 4), (64, 8), (65_536, 256), (0, nil), (-1, nil), (-4, nil), (2, nil), (3, nil), (15, nil),
            (17, nil),
            (63, nil), (65, nil), (Int.max, nil), (Int.min, nil),
        ] as [(Int, Int?)])
    func squareGrid(zones: Int, side: Int?) {
        let grid = ZoneGrid(squareOf: zones)
        #expect(grid == side.map { ZoneGrid(width: $0, height: $0) })
        #expect(grid.map(\.zones) == side.map { _ in zones })
    }

    @Test func gridInWords() { #expect(ZoneGrid(width: 8, height: 4).description == "8x4") }

    @Test(arguments: [
        (SIMD4<Float>(0, 0, 0, 1), true), (SIMD4(0.5, -0.5, 0.5, -0.5), true), (SIMD4(0, 0, 0, 0.9901), true),
        (SIMD4(0, 0, 0, 0.9899), false), (SIMD4(0, -1.0099, 0, 0), true), (SIMD4(0, -1.0101, 0, 0), false),
        (SIMD4(0.495_05, 0.495_05, 0.495_05, 0.495_05), true), (SIMD4(0.494_95, 0.494_95, 0.494_95, 0.494_95), false),
        (SIMD4(0, 0, 0, 0), false), (SIMD4(1, 1, 0, 0), false), (SIMD4(.nan, 0, 0, 1), false), (SIMD4(0, .infinity, 0, 0), false),
        (SIMD4(3e38, 0, 0, 0), false),
    ])
    func quaternionOfUnitLength(quaternion: SIMD4<Float>, isPose: Bool) {
        let pose = SensorPose(translationM: Vector3(x: 1, y: -2, z: 3), quaternionXyzw: quaternion)
        #expect((pose != nil) == isPose)
        #expect(pose.map(\.quaternionXyzw) == (isPose ? quaternion : nil))
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity])
    func placeIsFinite(number: Float) {
        for place in [Vector3(x: number, y: 0, z: 0), Vector3(x: 0, y: number, z: 0), Vector3(x: 0, y: 0, z: number)] {
            #expect(SensorPose(translationM: place, quaternionXyzw: SIMD4(0, 0, 0, 1)) == nil)
        }
    }

    @Test func fixedIsTheOrigin() {
        #expect(SensorPose.fixed == SensorPose(translationM: .zero, quaternionXyzw: SIMD4(0, 0, 0, 1)))
    }
}
