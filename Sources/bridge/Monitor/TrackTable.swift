import NLOSCore

/// The tracks of a frame as rows of text, in the layout that the screen has room for.
struct TrackTable {
    /// How the numbers of a track are spread over lines.
    struct Layout: Sendable {
        let lines: [[Column]]
        /// Cells that it needs.
        let width: Int

        init(_ lines: [[Column]]) {
            self.lines = lines
            width = lines.map { $0.reduce(-1) { $0 + $1.width + 1 } }.max() ?? 0
        }
    }

    struct Column: Sendable {
        let title: String
        let width: Int
        var isText = false
        let text: @Sendable (Track, Times) -> String
    }

    /// How old a frame is and how long it counts, seconds.
    struct Times {
        let age: Double
        let left: Double
    }

    /// One character a track, which the plan shows too.
    static let marks = Array("123456789abcdefg").map(String.init)

    /// The layout for so many tracks in so many cells. Where not all of them fit, the most compact one is taken.
    static func layout(for tracks: Int, columns: Int, rows: Int) -> Layout {
        let candidates = [wide(columns), double(columns), compact(columns)].filter { $0.width <= columns }
        return candidates.first { $0.lines.count * (tracks + 1) <= rows } ?? candidates.last ?? narrow
    }

    /// Adds the heading and a row for each track that fits; how many of them do.
    static func add(
        _ frame: DisplayableFrame, _ times: Times, isSupported: Bool, to picture: inout Picture, layout: Layout, rows: Int
    ) -> Int {
        let shown = frame.tracks.prefix(max(0, rows / layout.lines.count - 1))
        guard !shown.isEmpty else { return 0 }
        for line in layout.lines { picture.add(row(line) { $0.title }, .dim) }
        for (track, mark) in zip(shown, marks) {
            for (index, line) in layout.lines.enumerated() {
                let text = row(line) { $0.text(track, times) }
                // The place of the mark is kept free in the first line.
                let head = index == 0 ? "\(mark)\(isSupported ? " " : "!")" : "  "
                picture.add(Row(head + text.dropFirst(2), index == 0 && track.state == .tracking ? .bold : .plain))
            }
        }
        return shown.count
    }

    private static func row(_ columns: [Column], _ text: (Column) -> String) -> String {
        columns.map { column in
            let text = text(column)
            let count = text.utf8.count
            if count > column.width { return shortened(text, to: column.width) }
            let blanks = String(repeating: " ", count: column.width - count)
            return column.isText ? text + blanks : blanks + text
        }.joined(separator: " ")
    }

    /// Both ends of a name say more than its beginning.
    private static func shortened(_ name: String, to width: Int) -> String {
        let tail = width / 2
        return "\(name.prefix(width - 1 - tail))~\(name.suffix(tail))"
    }

    private static func wide(_ columns: Int) -> Layout {
        let rest = [state] + position(2) + velocity(2) + sigma(2) + [confidence, age, left]
        return Layout([[mark, id(max(16, min(32, columns - Layout([rest]).width - 4)))] + rest])
    }

    private static func double(_ columns: Int) -> Layout {
        Layout([
            [mark, id(max(24, min(64, columns - 35))), state, confidence, age, left], [indent] + position(2) + velocity(2) + sigma(2),
        ])
    }

    private static func compact(_ columns: Int) -> Layout {
        let rest = [state] + position(1) + velocity(1) + sigma(1) + [confidence]
        return Layout([[mark, id(max(10, min(32, columns - Layout([rest]).width - 4)))] + rest])
    }

    private static let narrow = Layout([
        [mark, id(20), state, confidence], [mark] + position(2) + sigma(2), [mark] + velocity(2) + [age, left],
    ])

    private static let mark = Column(title: "", width: 1, isText: true) { _, _ in "" }
    private static let indent = Column(title: "", width: 0, isText: true) { _, _ in "" }
    private static func id(_ width: Int) -> Column {
        Column(title: "track", width: width, isText: true) { track, _ in track.trackId.text }
    }
    private static let state = Column(title: "state", width: 8, isText: true) { track, _ in track.state.rawValue }
    private static let confidence = Column(title: "conf", width: 4) { track, _ in decimal(track.confidence, places: 2) }
    private static let age = Column(title: "age s", width: 5) { _, times in decimal(times.age, places: 2) }
    private static let left = Column(title: "left s", width: 6) { _, times in decimal(times.left, places: 2) }

    /// Up to 100 m with a sign.
    private static func position(_ places: Int) -> [Column] {
        axes(["x m", "y m", "z m"], width: 5 + places, places) { $0.positionM }
    }

    /// Up to 20 m/s with a sign.
    private static func velocity(_ places: Int) -> [Column] {
        axes(places > 1 ? ["vx m/s", "vy m/s", "vz m/s"] : ["vx", "vy", "vz"], width: 4 + places, places) { $0.velocityMps }
    }

    /// Up to the root of 10 square metres.
    private static func sigma(_ places: Int) -> [Column] {
        axes(places > 1 ? ["sx m", "sy m", "sz m"] : ["sx", "sy", "sz"], width: 2 + places, places) { $0.covarianceDiagonalM2.squareRoot() }
    }

    private static func axes(_ titles: [String], width: Int, _ places: Int, _ vector: @escaping @Sendable (Track) -> SIMD3<Double>)
        -> [Column]
    {
        (0..<3).map { axis in Column(title: titles[axis], width: width) { track, _ in decimal(vector(track)[axis], places: places) } }
    }
}
