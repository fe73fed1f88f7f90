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

extension FrameSource {
    /// What stands over everything that is not live.
    var watermark: String? {
        switch self {
        case .live: nil
        case .replay: "REPLAY"
        case .synthetic: "SYNTHETIC"
        }
    }
}
