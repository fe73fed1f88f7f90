/// The counts and distances of the frame that is being received, in storage that is made once.
struct TMF882xFrame: Sendable {
    /// Results that are in it.
    private(set) var parts = 0
    /// Bytes of those.
    var bytes: UInt64 = 0
    /// The frame that the results belong to, by the device's count.
    private(set) var cycle: UInt8 = 0
    /// A frame whose loss has been told.
    var lostCycle: UInt8?
    private var lastNumber: UInt8 = 0
    /// Sub-capture, channel, bin.
    private var counts: [UInt32] = Array(repeating: 0, count: mostCaptures * TMF882xLayout.channels * TMF882xLayout.bins)
    /// Where rows go that are read only to see whether they are right.
    private var aside: [UInt32] = Array(repeating: 0, count: TMF882xLayout.bins)
    private var distanceMm: [Int64] = Array(repeating: 0, count: 64)
    private var confidence: [Int64] = Array(repeating: 0, count: 64)

    private static let mostCaptures = 8
    private static let captureCounts = TMF882xLayout.channels * TMF882xLayout.bins

    var isEmpty: Bool { parts == 0 }

    /// Reads the numbers of a row to where they belong, or with `capture` nil only looks at them. False when they are not right.
    ///
    /// `capture` counts from the first of the result that is being received.
    mutating func read(_ numbers: UnsafeRawPointer, to end: UnsafeRawPointer, index: Int, capture: Int?) -> Bool {
        let (plane, channel) = index.quotientAndRemainder(dividingBy: TMF882xLayout.channels)
        guard let capture else {
            return aside.withUnsafeMutableBufferPointer {
                TMF882xRow.readBytes(numbers, to: end, shift: 0, keep: 0, into: $0.baseAddress!)
            }
        }
        let place = ((2 * parts + capture) * TMF882xLayout.channels + channel) * TMF882xLayout.bins
        precondition(place + TMF882xLayout.bins <= counts.count, "no such sub-capture")
        return counts.withUnsafeMutableBufferPointer {
            TMF882xRow.readBytes(
                numbers, to: end, shift: 8 * UInt32(plane), keep: plane == 0 ? 0 : .max, into: $0.baseAddress! + place)
        }
    }

    /// Whether a result is the next one of the frame. `part` is its place there.
    func takes(part: Int, number: UInt8) -> Bool { part == parts && (parts == 0 || number == lastNumber &+ 1) }

    /// Takes the rows that were read last, and these objects.
    mutating func add(_ objects: TMF882xObjects, _ layout: TMF882xLayout, bytes: UInt64) {
        for capture in 0..<layout.capturesPerResult {
            for channel in layout.zoneChannels {
                let zone = layout.zone(capture: parts * layout.capturesPerResult + capture, channel: channel)
                let pair = capture * TMF882xObjects.zonesPerCapture + channel - 1
                distanceMm[zone] = objects.distanceMm[pair]
                confidence[zone] = objects.confidence[pair]
            }
        }
        parts += 1
        self.bytes += bytes
        cycle = objects.number / UInt8(layout.resultsPerFrame)
        lastNumber = objects.number
        lostCycle = nil
    }

    /// The result that was read last becomes the first of a new frame.
    mutating func moveToFront() {
        let start = 2 * parts * Self.captureCounts
        if parts > 0 {
            for index in 0..<2 * Self.captureCounts { counts[index] = counts[start + index] }
        }
        clear()
    }

    mutating func clear() {
        parts = 0
        bytes = 0
    }

    func whole(_ layout: TMF882xLayout, deviceUs: UInt64?, temperature: Int, arrival: Arrival) -> FirmwareFrame {
        var frame = FirmwareFrame(
            bins: layout.shape.bins, ambient: Array(repeating: 0, count: layout.zones),
            distanceMm: Array(distanceMm.prefix(layout.zones)), histogram: layout.hasHistograms ? histogram(layout) : [], arrival: arrival)
        frame.confidence = Array(confidence.prefix(layout.zones))
        if layout.hasHistograms { frame.reference = reference(layout) }
        frame.temperatureC = temperature
        frame.deviceUs = deviceUs
        return frame
    }

    private func histogram(_ layout: TMF882xLayout) -> [Int64] {
        let bins = TMF882xLayout.bins
        return Array(unsafeUninitializedCapacity: layout.zones * bins) { histogram, count in
            for capture in 0..<layout.capturesPerFrame {
                for channel in layout.zoneChannels {
                    let from = capture * Self.captureCounts + channel * bins
                    let to = layout.zone(capture: capture, channel: channel) * bins
                    for bin in 0..<bins { histogram[to + bin] = Int64(counts[from + bin]) }
                }
            }
            // Every zone is the channel of some sub-capture.
            count = layout.zones * bins
        }
    }

    /// Of each sub-capture, one behind the other.
    private func reference(_ layout: TMF882xLayout) -> [Int64] {
        (0..<layout.capturesPerFrame).flatMap { capture in
            counts[capture * Self.captureCounts..<capture * Self.captureCounts + TMF882xLayout.bins].map(Int64.init)
        }
    }
}
