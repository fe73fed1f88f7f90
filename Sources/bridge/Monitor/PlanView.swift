import NLOSCore

/// The tracks of a frame as seen from above: x to the right, z up the page, y towards the viewer.
///
/// A cell is twice as high as it is wide, on the screen and in metres. The scale is the smallest round one with which everything fits,
/// so it does not change with every frame.
struct PlanView {
    /// Below this a plan says nothing.
    static let fewestRows = 5
    /// The finest scale, metres a cell's width.
    private static let finest = 0.02

    private let columns: Int
    private let rows: Int
    /// Width of a cell, metres.
    let cellM: Double
    /// Where the origin is.
    private let origin: (column: Int, row: Int)
    private var cells: [[UInt8]]

    init(_ tracks: [Track], columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        let half = Double((columns - 1) / 2)
        let sigmas = tracks.map { $0.covarianceDiagonalM2.squareRoot() }
        let right = zip(tracks, sigmas).map { abs($0.positionM.x) + $1.x }.max() ?? 1
        let up = max(0, zip(tracks, sigmas).map { $0.positionM.z + $1.z }.max() ?? 1)
        let down = max(0, zip(tracks, sigmas).map { $1.z - $0.positionM.z }.max() ?? 0)
        func fits(_ cell: Double) -> Bool {
            right / cell <= half && (up / (2 * cell)).rounded(.up) + (down / (2 * cell)).rounded(.up) + 1 <= Double(rows)
        }
        // The contract's bounds make this end long before the last step.
        cellM = Self.steps.first(where: fits) ?? Self.coarsest
        let (above, below) = ((up / (2 * cellM)).rounded(.up), (down / (2 * cellM)).rounded(.up))
        origin = ((columns - 1) / 2, min(rows - 1, Int(above) + max(0, rows - 1 - Int(above) - Int(below)) / 2))
        cells = Array(repeating: Array(repeating: UInt8(ascii: " "), count: columns), count: rows)
        for (track, sigma) in zip(tracks, sigmas) { drawSpread(of: track, sigma) }
        put(UInt8(ascii: "+"), at: origin)
        for (track, mark) in zip(tracks, TrackTable.marks) {
            let place = cell(of: track.positionM)
            let isTaken =
                cells.indices.contains(place.row) && TrackTable.marks.contains(String(UnicodeScalar(cells[place.row][place.column])))
            put(isTaken ? UInt8(ascii: "*") : mark.utf8.first ?? 0x3f, at: place)
        }
    }

    /// The plan's lines, from the top.
    var lines: [String] { cells.map { String(decoding: $0, as: UTF8.self) } }

    /// What the plan shows, in a line of at most 60 cells, or of 80 where there is room.
    var caption: String {
        let origin = columns < 80 ? "" : ", + is the origin"
        return "from above, x right, z up\(origin); cell \(metres(cellM)) x \(metres(2 * cellM)) m; dots 1 sigma"
    }

    private static let coarsest = 50.0
    private static let steps: [Double] = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, coarsest]

    private func metres(_ length: Double) -> String { decimal(length, places: length < 0.1 ? 2 : length < 1 ? 1 : 0) }

    private func cell(of position: SIMD3<Double>) -> (column: Int, row: Int) {
        // Within 100 m of the origin by the contract, so the numbers are small.
        (origin.column + Int((position.x / cellM).rounded()), origin.row - Int((position.z / (2 * cellM)).rounded()))
    }

    /// Dots where the hypothesis lies within one standard deviation.
    private mutating func drawSpread(of track: Track, _ sigma: SIMD3<Double>) {
        guard sigma.x > 0, sigma.z > 0 else { return }
        for row in 0..<rows {
            for column in 0..<columns {
                let x = (Double(column - origin.column) * cellM - track.positionM.x) / sigma.x
                let z = (Double(origin.row - row) * 2 * cellM - track.positionM.z) / sigma.z
                if x * x + z * z <= 1 { cells[row][column] = UInt8(ascii: ".") }
            }
        }
    }

    private mutating func put(_ mark: UInt8, at place: (column: Int, row: Int)) {
        guard (0..<rows).contains(place.row), (0..<columns).contains(place.column) else { return }
        cells[place.row][place.column] = mark
    }
}
