extension Double {
    /// Within the range; 0 (or the bound next to it) for what is not finite.
    package func clamped(to range: ClosedRange<Double>) -> Double {
        min(max(isFinite ? self : 0, range.lowerBound), range.upperBound)
    }
}
