import DepthValidation
import NLOSCore

/// The zones of the last frame as digits on colours: nearer is warmer. Without colours the digits are all of it.
enum DepthMap {
    private static let cell = 7
    /// Most rows and columns that fit beside everything else; larger grids are not drawn.
    private static let most = 8
    /// From near to far, of the 256 colours.
    private static let scale: [UInt8] = [160, 166, 172, 178, 148, 113, 78, 43, 38, 32, 26, 19]
    /// Metres at both ends of the scale.
    private static let ends = (near: 0.3, far: 4.0)

    /// One row for each row of zones, and one that says what they are; none without a frame.
    static func rows(_ state: LiveState, width: Int) -> [Row] {
        guard let grid = state.grid, grid.width <= most, grid.height <= most, state.distancesMm.count == grid.zones,
            grid.width * cell <= width
        else { return [] }
        var rows = (0..<grid.height).map { line in
            (0..<grid.width).reduce(into: Row()) { row, column in
                let distance = state.distancesMm[line * grid.width + column]
                row.add(text(distance), style(distance))
            }
        }
        rows.append(Row("zones, metres; -- sees nothing; warm colours are near", .dim))
        return rows
    }

    private static func text(_ millimetres: UInt16?) -> String {
        guard let millimetres else { return "   --  " }
        return padded("  \(decimal(Double(millimetres) / 1000, places: 2))", to: cell)
    }

    private static func style(_ millimetres: UInt16?) -> TextStyle {
        guard let millimetres else { return .dim }
        let metres = min(max(Double(millimetres) / 1000, ends.near), ends.far)
        // By ratio: a tenth more is the same step near and far.
        var step = 0
        var edge = ends.near
        let ratio = 1.242  // the twelfth root of far / near
        while step < scale.count - 1, metres > edge * ratio {
            edge *= ratio
            step += 1
        }
        return .on(scale[step], darkText: step < 9)
    }
}
