internal import NLOSCore

/// How the results of a TMF882x make a frame: which grid, and whether histograms come with the distances.
///
/// A result is the `#Raw` rows of one or two sub-captures and the `#Obj` line behind them; an 8x8 frame takes four results.
struct TMF882xLayout: Hashable, Sendable {
    /// Zones along a side: 3, 4 or 8.
    let side: Int
    let hasHistograms: Bool

    /// Of every histogram.
    static let bins = 128
    /// Histograms of a sub-capture: channel 0 is the reference, 1 to 9 are zones.
    static let channels = 10
    /// A histogram's counts come in three bytes, lowest first, each in a row of its own.
    static let planes = 3
    static let rowsPerCapture = planes * channels

    var zones: Int { side * side }
    /// Sub-captures in a result, whose objects it holds.
    var capturesPerResult: Int { side == 3 ? 1 : 2 }
    var resultsPerFrame: Int { side == 8 ? 4 : 1 }
    var capturesPerFrame: Int { capturesPerResult * resultsPerFrame }
    /// Sub-captures whose rows come before the `#Obj` line of a result.
    var printedCaptures: Int { hasHistograms ? capturesPerResult : 0 }
    /// Channels that are zones; the last of ten is the ninth zone of 3x3 and nothing elsewhere.
    var zoneChannels: ClosedRange<Int> { 1...(side == 3 ? 9 : 8) }
    var shape: FrameShape { FrameShape(zones: zones, bins: hasHistograms ? Self.bins : 0) }

    /// The zone, row-major, that a channel of a frame's sub-capture looks at.
    ///
    /// Source: the zone table of cc-hardware's `tmf8828.py`; 8x8 sub-captures look at every second row of both halves of four columns.
    func zone(capture: Int, channel: Int) -> Int {
        switch side {
        case 8:
            let row = 7 - 2 * ((channel - 1) / 2) - (capture >= 4 ? 1 : 0)
            return row * 8 + 4 * ((channel - 1) % 2) + capture % 4
        case 4: return capture * 8 + channel - 1
        default: return channel - 1
        }
    }
}

/// The sensor's two ways of measuring, as its state lines name them.
enum TMF882xMode: Sendable {
    /// `TMF8828`: 8x8.
    case tmf8828
    /// `TMF882x`: 3x3, 4x4, and what else the SPAD map says.
    case tmf882x
}

/// A SPAD map by its number: which grid it makes and what it sees. Source: ams's driver header.
struct TMF882xSpadMap: Equatable, Sendable {
    let number: Int

    /// Zones along a side; nil for a map that is no square grid, or that is not known.
    var side: Int? {
        switch number {
        case 1, 2, 3, 6: 3
        case 4, 5, 7, 13: 4
        case 15: 8
        default: nil
        }
    }

    func isOf(_ mode: TMF882xMode) -> Bool { (side == 8) == (mode == .tmf8828) }

    /// Columns first. Of map 15 the sum of what its captures see, as cc-hardware's geometry has it.
    var fieldOfView: FieldOfView? {
        switch number {
        case 1: FieldOfView(degreesX: 29, degreesY: 29)
        case 2, 3, 4, 5: FieldOfView(degreesX: 29, degreesY: 43.5)
        case 6, 7: FieldOfView(degreesX: 44, degreesY: 48)
        case 13: FieldOfView(degreesX: 29, degreesY: 39)
        case 15: FieldOfView(degreesX: 41, degreesY: 52)
        default: nil
        }
    }
}
