/// Which of the sensors on a line is listened to: the first that speaks. A sketch for three sensors sends the lines of all of them.
struct TMF882xSensors: Sendable {
    /// Lines that make an address of another sensor no accident of a damaged byte.
    private static let enough: UInt64 = 3

    private var ours: Int?
    /// It has said a second line.
    private var isSure = false
    /// Another one that speaks alone, and its lines.
    private var inARow = (address: 0, lines: UInt64(0))
    /// Lines of the others, by address.
    private(set) var others: [UInt64] = Array(repeating: 0, count: 128)
    private var untold: Int?

    /// Only one sensor speaks, as far as is known.
    private(set) var isAlone = true

    func isOurs(_ address: Int) -> Bool { ours == nil || ours == address }

    /// A whole line of this sensor came. True when it is listened to from now on in another's place.
    mutating func heard(_ address: Int) -> Bool {
        if isOurs(address) {
            isSure = isSure || ours != nil
            ours = address
            inARow.lines = 0
            return false
        }
        others[address] += 1
        inARow = (address, inARow.address == address ? inARow.lines + 1 : 1)
        if !isSure, inARow.lines == Self.enough {
            // The first line had a damaged address.
            others[address] -= Self.enough
            ours = address
            inARow.lines = 0
            return true
        }
        if others[address] == Self.enough {
            untold = address
            isAlone = false
        }
        return false
    }

    /// Another sensor, once.
    mutating func newOther() -> Int? {
        defer { untold = nil }
        return untold
    }

    /// The board starts anew, and may speak of its sensors in another order.
    mutating func startOver() {
        ours = nil
        isSure = false
        inARow.lines = 0
    }
}

/// What the board's words have said of the grid in which it measures.
struct TMF882xGridHint: Sendable {
    private(set) var mode: TMF882xMode?
    private(set) var map: TMF882xSpadMap?

    mutating func hear(_ text: TMF882xText) {
        switch text {
        case .configuration(let configuration): map = configuration.map
        case .state(let mode, let state):
            self.mode = mode
            // A map of the other mode, or of before a restart.
            if map?.isOf(mode) == false || state == .disabled { map = nil }
        case .driver, .histograms, .range, .error, .words: break
        }
    }

    /// Zones along a side, where a whole result printed so many sub-captures; nil while nothing tells.
    func side(captures: Int, _ objects: TMF882xObjects) -> Int? {
        if let map { return map.side.flatMap { captures == 0 || (captures == 1) == ($0 == 3) ? $0 : nil } }
        switch (captures, mode) {
        case (1, _): return 3
        case (_, .tmf8828): return 8
        case (2, .tmf882x): return 4
        case (0, .tmf882x): return side(ofZonesIn: objects)
        default: return nil
        }
    }

    /// The ninth zone is one of 3x3 alone, and zones of a second sub-capture are of 4x4 alone.
    private func side(ofZonesIn objects: TMF882xObjects) -> Int? {
        if objects.confidence[9..<17].contains(where: { $0 > 0 }) { return 4 }
        return objects.confidence[8] > 0 ? 3 : nil
    }
}
