extension JSONWriter {
    /// A key and its value in one go.
    public mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        value(text)
    }

    /// A key and its value in one go.
    public mutating func member(_ name: StaticString, _ truth: Bool) {
        key(name)
        value(truth)
    }

    /// A key and its value in one go.
    public mutating func member(_ name: StaticString, _ number: some FixedWidthInteger) {
        key(name)
        value(number)
    }

    /// A key and its value in one go; `null` for what JSON has no word for.
    public mutating func member(_ name: StaticString, _ number: Double) {
        key(name)
        value(number)
    }
}
