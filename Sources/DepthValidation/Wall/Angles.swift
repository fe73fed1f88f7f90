// The standard library has square roots and no angles, and this target imports no C library.

/// The tangent of an angle within 80 degrees of 0; radians.
func tangent(_ angle: Double) -> Double {
    // Lambert's continued fraction: x / (1 - x^2 / (3 - x^2 / (5 - ...))). Twelve steps are exact to the last digits here.
    let square = angle * angle
    let denominator = stride(from: 23.0, through: 1, by: -2).reduce(25.0) { $1 - square / $0 }
    return angle / denominator
}

/// The angle of this tangent, radians, -pi/2 ... pi/2.
func arcTangent(_ tangent: Double) -> Double {
    if abs(tangent) > 1 { return (tangent > 0 ? .pi : -.pi) / 2 - arcTangent(1 / tangent) }
    // Three times the half of the angle makes it small; then the series is short.
    var small = tangent
    for _ in 0..<3 { small /= 1 + (1 + small * small).squareRoot() }
    let square = small * small
    let series = stride(from: 19.0, through: 1, by: -2).reduce(0.0) { 1 / $1 - square * $0 }
    return 8 * small * series
}
