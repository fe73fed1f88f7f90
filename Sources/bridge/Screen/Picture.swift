/// What a full screen shows: rows of text in styles, measured in cells.
///
/// Text put in here is the program's own or was escaped before: every scalar takes one cell and none controls the terminal.
struct Picture: Equatable {
    struct Size: Equatable {
        let columns: Int
        let rows: Int
    }

    let size: Size
    private(set) var rows: [Row] = []

    init(size: Size) {
        self.size = size
        rows.reserveCapacity(size.rows)
    }

    /// Rows that are still free.
    var rowsLeft: Int { size.rows - rows.count }

    /// Adds a row, cut to the width; without effect when the picture is full.
    mutating func add(_ row: Row = Row()) {
        guard rowsLeft > 0 else { return }
        rows.append(row.cut(to: size.columns))
    }

    mutating func add(_ text: String, _ style: TextStyle = .plain) { add(Row(text, style)) }

    /// Adds the text in as many rows as it needs.
    mutating func addWrapped(_ text: String, _ style: TextStyle = .plain) {
        for line in wrapped(text, width: size.columns) { add(line, style) }
    }

    /// Fills up with blank rows until only `count` are left, for what belongs at the bottom.
    mutating func skip(leaving count: Int) { while rowsLeft > count { add() } }

    /// The picture without its styles, a line a row, blanks at the ends cut off.
    var text: String {
        rows.map { row in
            let text = row.spans.map(\.text).joined()
            return String(text.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}

/// A line of a picture.
struct Row: Equatable {
    struct Span: Equatable {
        var text: String
        var style: TextStyle
    }

    private(set) var spans: [Span] = []
    private(set) var cells = 0

    init() {}

    init(_ text: String, _ style: TextStyle = .plain) { add(text, style) }

    mutating func add(_ text: String, _ style: TextStyle = .plain) {
        guard !text.isEmpty else { return }
        cells += text.unicodeScalars.count
        spans.append(Span(text: text, style: style))
    }

    mutating func add(_ row: Row) {
        spans += row.spans
        cells += row.cells
    }

    /// Blanks up to this cell, at least one when something stands there already.
    mutating func tab(to cell: Int) { add(String(repeating: " ", count: max(cell - cells, cells == 0 ? 0 : 1))) }

    func cut(to width: Int) -> Row {
        guard cells > width else { return self }
        var row = Row()
        for span in spans where row.cells < width {
            row.add(String(String.UnicodeScalarView(span.text.unicodeScalars.prefix(width - row.cells))), span.style)
        }
        return row
    }

    /// The bytes that draw the row; where colours are refused only the text.
    func encode(into bytes: inout [UInt8], colour: Bool) {
        for span in spans {
            let code = colour ? span.style.code : ""
            if !code.isEmpty { bytes += "\u{1b}[\(code)m".utf8 }
            bytes += span.text.utf8
            if !code.isEmpty { bytes += "\u{1b}[0m".utf8 }
        }
    }
}

/// How text looks where colours may be shown. Meaning never hangs on it alone.
enum TextStyle: Equatable {
    case plain, bold, dim, reverse, red, green, yellow
    /// Dark or light text on one of the 256 colours.
    case on(UInt8, darkText: Bool)

    /// The parameters of "select graphic rendition".
    fileprivate var code: String {
        switch self {
        case .plain: ""
        case .bold: "1"
        case .dim: "2"
        case .reverse: "7"
        case .red: "1;31"
        case .green: "32"
        case .yellow: "1;33"
        case .on(let colour, let darkText): "\(darkText ? 30 : 97);48;5;\(colour)"
        }
    }
}
