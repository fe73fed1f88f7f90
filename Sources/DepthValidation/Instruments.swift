internal import NLOSCore

/// Everything that measures, for one grid. Made with the first frame; from then on a frame costs no memory.
struct Instruments: Sendable {
    let grid: ZoneGrid
    let rays: ZoneRays
    private var fitter: WallFitter
    private(set) var recent: RecentFrames
    private(set) var spread: ZoneSpread
    private(set) var tally: PhaseTally
    private(set) var ambient: AmbientWatch

    /// Nil for a grid that no wall can be fitted to.
    init?(_ view: SensorView, grid: ZoneGrid) {
        guard let rays = ZoneRays(view, grid: grid) else { return nil }
        self.grid = grid
        self.rays = rays
        fitter = WallFitter(rays)
        recent = RecentFrames(zones: rays.zones)
        spread = ZoneSpread(zones: rays.zones)
        tally = PhaseTally(zones: rays.zones)
        ambient = AmbientWatch(zones: rays.zones)
    }

    /// Measures a frame and adds it to the phase.
    mutating func take(_ frame: DepthFrame, at nowNs: UInt64, gapNs: UInt64) -> Sight {
        let wall = fitter.fit(frame.distancesMm)
        recent.push(nowNs, frame.distancesMm, wall?.plane, rays: rays, into: &spread)
        ambient.take(frame, at: nowNs)
        let sight = Sight(coverage: frame.coverage, wall: wall, movementMps: recent.movementMps)
        tally.take(sight, frame.distancesMm, gapNs: gapNs)
        return sight
    }

    mutating func takeRepeat() { tally.takeRepeat() }
    mutating func see(_ thermal: ThermalState) { tally.see(thermal) }
    mutating func see(_ tracking: TrackingState) { tally.see(tracking) }

    /// What the phase came to, and room for the next one.
    mutating func closePhase(vouched: Bool) -> (tally: PhaseTally, zones: ZoneReport) {
        recent.settleAll(rays: rays, into: &spread)
        let closed = (tally, ZoneReport(tally, spread, rays: rays, vouched: vouched))
        spread.clear()
        tally.clear()
        return closed
    }

    /// The phase's noise so far, mm.
    var noiseMm: Double? {
        var deviations = (0..<rays.zones).compactMap { spread.deviationMm(zone: $0) }
        return deviations.isEmpty ? nil : deviations.medianOfFirst(deviations.count)
    }
}
