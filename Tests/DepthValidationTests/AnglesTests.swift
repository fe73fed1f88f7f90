import Glibc
import Testing

@testable import DepthValidation

@Suite struct AnglesTests {
    @Test("tangent and arc tangent are libm's, to the last digits")
    func asLibm() {
        for step in -800...800 {
            let angle = Double(step) / 10 * .pi / 180
            #expect(abs(tangent(angle) - Glibc.tan(angle)) <= 1e-13 * max(1, abs(Glibc.tan(angle))))
            #expect(abs(arcTangent(Glibc.tan(angle)) - angle) < 1e-14)
        }
        for value in [0, 1e-300, 1e-9, 1, 1e9, 1e300, .greatestFiniteMagnitude] as [Double] {
            #expect(abs(arcTangent(value) - Glibc.atan(value)) < 1e-14 && arcTangent(-value) == -arcTangent(value))
        }
        #expect(arcTangent(.infinity) == .pi / 2 && arcTangent(-.infinity) == -.pi / 2)
    }

    @Test(
        "the median of the first values",
        arguments: [([], 0), ([3], 3), ([3, 1], 2), ([9, 1, 5], 5), ([4, 1, 3, 2], 2.5), ([1, 1, 1, 9], 1)] as [([Double], Double)])
    func medians(values: [Double], median: Double) {
        var scratch = values + [-1e9, 1e9]
        #expect(scratch.medianOfFirst(values.count) == median)
    }
}
