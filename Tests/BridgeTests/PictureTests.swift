import Testing

@testable import bridge

@Suite struct PictureTests {
    private static let size = Picture.Size(columns: 12, rows: 3)

    @Test func rowsAreCutToTheWidthAndTheHeight() {
        var picture = Picture(size: Self.size)
        for number in 1...5 { picture.add("row \(number) is too long", .bold) }
        #expect(picture.text == "row 1 is too\nrow 2 is too\nrow 3 is too")
        #expect(picture.rowsLeft == 0)
    }

    @Test func aRowIsCutWithinTheSpanThatCrossesTheEdge() {
        var row = Row("seven77", .red)
        row.add("seven77", .green)
        row.add("never seen")
        let cut = row.cut(to: 12)
        #expect(cut.cells == 12)
        #expect(cut.spans == [Row.Span(text: "seven77", style: .red), Row.Span(text: "seven", style: .green)])
    }

    @Test func aTabKeepsWordsApart() {
        var row = Row("a")
        row.tab(to: 4)
        row.add("word longer than the column")
        row.tab(to: 8)
        row.add("b")
        #expect(row.spans.map(\.text).joined() == "a   word longer than the column b")
    }

    @Test func whatBelongsAtTheBottomStandsThere() {
        var picture = Picture(size: Self.size)
        picture.add("top")
        picture.skip(leaving: 1)
        picture.add("bottom")
        #expect(picture.text == "top\n\nbottom")
    }

    @Test(arguments: [true, false]) func stylesAreCodesOnlyWhereColoursMayBeShown(colour: Bool) {
        var bytes: [UInt8] = []
        var row = Row("warm", .on(196, darkText: false))
        row.add(" and plain")
        row.encode(into: &bytes, colour: colour)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text == (colour ? "\u{1b}[97;48;5;196mwarm\u{1b}[0m and plain" : "warm and plain"))
    }

    @Test func blocksCountAsCellsAndNotAsBytes() {
        #expect(Row("\u{2588}\u{2588}\u{2591}").cells == 3)
        #expect(Row("\u{2588}\u{2588}\u{2591}").cut(to: 2).spans.first?.text == "\u{2588}\u{2588}")
    }
}
