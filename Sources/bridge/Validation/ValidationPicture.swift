import DepthValidation
import NLOSCore

/// The screen of a run: what to do now, the time left, the figures beside what they need to be, and the zones.
///
/// ASCII only, so that it reads the same in every locale; colours add to it and carry nothing alone.
enum ValidationPicture {
    /// Where the value and what it needs to be stand.
    private static let valueCell = 17
    private static let needCell = 31
    /// Wider bars are harder to read, not easier.
    private static let widestBar = 72

    static func of(_ state: LiveState, _ subject: ValidationSubject, _ message: Message?, _ size: Picture.Size) -> Picture {
        var picture = Picture(size: size)
        addHead(to: &picture, subject)
        addAction(to: &picture, state)
        picture.add()
        for row in figures(state) { picture.add(row) }
        // The zones get what room is left beside the last two rows.
        let map = DepthMap.rows(state, width: size.columns)
        if picture.rowsLeft >= map.count + 2 {
            if picture.rowsLeft > map.count + 2 { picture.add() }
            for row in map { picture.add(row) }
        }
        picture.skip(leaving: 2)
        picture.add(message.map { harmless($0.text) } ?? "", .dim)
        picture.add("direct_depth only, never NLOS evidence. Ctrl-C ends the run.", .dim)
        return picture
    }

    private static func addHead(to picture: inout Picture, _ subject: ValidationSubject) {
        let title = "Direct-depth validation"
        let marks = subject.marks.map { " \($0) " }
        let marksCells = marks.reduce(0) { $0 + $1.utf8.count + 1 }
        var row = Row()
        // On a narrow screen the marks stay and the title goes.
        if title.utf8.count + marksCells <= picture.size.columns { row.add(title, .bold) }
        if !marks.isEmpty { row.tab(to: picture.size.columns - marksCells + 1) }
        for (index, mark) in marks.enumerated() {
            if index > 0 { row.add(" ") }
            row.add(mark, .reverse)
        }
        picture.add(row)
        picture.add("\(harmless(subject.path))  \(subject.setting)", .dim)
        picture.add()
    }

    private static func addAction(to picture: inout Picture, _ state: LiveState) {
        picture.add(step(state), .bold)
        picture.add(bar(state, width: min(picture.size.columns, widestBar)))
        guard state.advice.isWarning else { return picture.add(state.tracking == .normal ? "ok" : "", .green) }
        picture.add("! \(state.advice.text)", .yellow)
    }

    private static func step(_ state: LiveState) -> String {
        switch state.stage {
        case .waiting: "Starting the sensor: hold it still, facing a matte wall"
        case .phase(.calibration): "1 of 2: hold still, facing a matte wall at 0.5 to 4 m"
        case .phase(.wallScan): "2 of 2: keep the wall in view, move slowly, 5 to 15 cm/s"
        case .over: "Done"
        }
    }

    private static func bar(_ state: LiveState, width: Int) -> Row {
        let left = state.stage == .over ? "" : " \(padded(decimal(state.secondsLeft.rounded(.up), places: 0), before: 3)) s left"
        let cells = max(1, width - left.utf8.count - 2)
        let progress = state.stage == .over ? 1 : state.progress.isFinite ? min(max(0, state.progress), 1) : 0
        let done = Int(Double(cells) * progress)
        var row = Row("[")
        row.add(String(repeating: "#", count: done), .green)
        row.add(String(repeating: "-", count: cells - done), .dim)
        row.add("]\(left)")
        return row
    }

    private static func figures(_ state: LiveState) -> [Row] {
        let needed = decimal(state.attainableHz * Thresholds.frameRate, places: 1)
        let stability = state.stabilityMm.map { "\(decimal($0, places: 1)) mm" }
        return [
            figure(
                "frames a second", state.framesPerSecond.map { decimal($0, places: 1) },
                "at least \(needed) of \(decimal(state.attainableHz, places: 1))"),
            figure(
                "coverage", state.stage == .waiting ? nil : "\(decimal(state.coverage * 100, places: 0)) %",
                "at least \(decimal(Thresholds.coverage * 100, places: 0)) % of the zones"),
            figure(
                "wall", state.wall.map { "\(decimal($0.distanceMm / 1000, places: 2)) m" },
                "0.5 to 4 m" + (state.wall.map { ", tilt \(decimal($0.tiltDegrees, places: 1)) degrees" } ?? "")),
            figure("stability", stability, state.stabilityLimitMm.map { "noise at most \(decimal($0, places: 0)) mm" } ?? ""),
            figure("movement", state.movementMps.map { "\(decimal($0, places: 2)) m/s" }, "sideways cannot be seen"),
            figure("tracking", state.tracking.rawValue, state.tracking == .normal ? "thermal \(state.thermal.rawValue)" : ""),
        ]
    }

    private static func figure(_ name: String, _ value: String?, _ need: String) -> Row {
        var row = Row(name)
        row.tab(to: valueCell)
        row.add(value ?? "-", .bold)
        guard !need.isEmpty else { return row }
        row.tab(to: needCell)
        row.add(need, .dim)
        return row
    }
}

/// Right-aligned in so many cells.
private func padded(_ text: String, before width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
}
