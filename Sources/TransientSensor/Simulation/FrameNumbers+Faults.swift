extension FrameNumbers {
    /// What faults of the board make of a frame that was just measured; `measured` counts such frames from 1.
    mutating func spoil(_ faults: FirmwareFaults, measured: UInt64, _ random: inout SeededGenerator) {
        if faults.histogramStep > 1 {
            for index in histogram.indices { histogram[index] -= histogram[index] % faults.histogramStep }
        }
        if let every = faults.overflowEvery, measured % every == 0, !histogram.isEmpty {
            histogram[histogram.count / 2] = 70_000
        }
        if let after = faults.brighterAfterFrames, measured > after {
            for index in ambient.indices { ambient[index] *= 16 }
        }
        for index in distanceMm.indices where distanceMm[index] > 0 {
            if faults.measuresNoDistance {
                distanceMm[index] = 0
            } else if faults.distanceNoiseMm > 0 {
                let off = Double(faults.distanceNoiseMm) * random.noise()
                distanceMm[index] = max(0, distanceMm[index] + Int64(off.rounded()))
            }
        }
    }
}
