import NLOSCore

extension JSONWriter {
    mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        value(text)
    }

    mutating func member(_ name: StaticString, _ truth: Bool) {
        key(name)
        value(truth)
    }

    mutating func member(_ name: StaticString, _ number: some FixedWidthInteger) {
        key(name)
        value(number)
    }
}
