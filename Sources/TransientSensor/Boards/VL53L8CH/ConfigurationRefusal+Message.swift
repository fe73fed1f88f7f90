public import NLOSCore

extension ConfigurationRefusal {
    /// What was asked, what the limit is, and the nearest settings to type.
    public var message: Message {
        Message(text: reason.sentence, next: nearest.isEmpty ? nil : nearest.map(\.options).joined(separator: "\n"))
    }
}

extension ConfigurationRefusal.Reason {
    fileprivate var sentence: String {
        switch self {
        case .rate(let hz, let allowed, let zones):
            "a rate of \(hz) Hz: with \(zones) zones the sensor ranges at \(allowed.lowerBound) to \(allowed.upperBound) Hz"
        case .integration(let ms, let allowed):
            "an integration of \(ms) ms: the sensor takes \(allowed.lowerBound) to \(allowed.upperBound) ms"
        case .integrationOverPeriod(let ms, let periodMs, let rateHz, let continuous):
            "an integration of \(ms) ms does not fit the period of \(tenths(periodMs)) ms at \(rateHz) Hz"
                + (continuous ? " (in continuous mode the sensor would not use it at all)" : "")
        case .bins(let bins, let allowed):
            "\(bins) bins: a transient frame has \(allowed.lowerBound) to \(allowed.upperBound)"
        case .subsample(let subsample, let allowed):
            "a subsample of \(subsample): the sensor adds up \(allowed.lowerBound) to \(allowed.upperBound) physical bins"
        case .startBin(let bin, let allowed):
            "a start at physical bin \(bin): there are bins \(allowed.lowerBound) to \(allowed.upperBound)"
        case .range(let startBin, let bins, let subsample, let end, let physicalBins):
            "\(bins) bins of \(subsample) from physical bin \(startBin) end at \(end), and the sensor has \(physicalBins)"
        case .memory(let zones, let bins, let bytes, let limit):
            "\(zones) zones x \(bins) bins take \(bytes) bytes of the sensor's memory, which has \(limit) for histograms"
        case .line(let frameBytes, let rateHz, let needed, let limit):
            "frames of about \(frameBytes) bytes at \(rateHz) Hz make \(needed) bytes a second, and the board's line carries \(limit)"
        }
    }
}

extension VL53L8CHConfiguration {
    /// As the command line takes it.
    var options: String {
        "--zones \(grid.zoneGrid) --bins \(bins) --start-bin \(startBin) --subsample \(subsample) --rate \(rateHz) --integration-ms \(integrationMs)"
    }

    /// Worth saying before the start although nothing is impossible; nil when the asked rate can be expected.
    public var rateNotice: Message? {
        let asked = Double(rateHz)
        if rateHz < 2 {
            return Message(text: "at \(rateHz) Hz some sensors of this family stream nothing", next: "--rate 2")
        }
        guard realisticHz < asked * 0.95 else { return nil }
        return Message(
            text:
                "\(shape) will come at about \(tenths(realisticHz)) Hz, not at the \(rateHz) Hz asked: the firmware reads and prints one after the other",
            next: "fewer bins or zones make it faster; the measured rate is reported at the end")
    }
}

/// With one digit after the point, and without floating-point formatting of the C library.
private func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}
