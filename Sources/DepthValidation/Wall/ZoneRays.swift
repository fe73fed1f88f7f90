internal import NLOSCore

/// The direction of every zone, made once for a grid.
struct ZoneRays: Sendable {
    static let mostZones = 64

    /// A plane needs zones that are not on one line.
    static func supports(_ grid: ZoneGrid) -> Bool {
        grid.width >= 2 && grid.height >= 2 && grid.width <= mostZones && grid.height <= mostZones && grid.zones <= mostZones
    }
}
