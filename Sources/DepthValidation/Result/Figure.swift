/// A number for people, with a point and this many decimals; `?` for what is no number.
public func figure(_ value: Double, decimals: Int = 0) -> String {
    let scale = (0..<max(0, min(decimals, 6))).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = (value * scale).rounded()
    guard scaled.isFinite, abs(scaled) < 1e15 else { return "?" }
    let whole = Int64(abs(scaled))
    let sign = scaled < 0 ? "-" : ""
    guard scale > 1 else { return "\(sign)\(whole)" }
    let rest = String(whole % Int64(scale))
    return "\(sign)\(whole / Int64(scale)).\(String(repeating: "0", count: decimals - rest.utf8.count))\(rest)"
}

/// A share of one as per cent.
func percent(_ share: Double) -> String { "\(figure(share * 100)) %" }
