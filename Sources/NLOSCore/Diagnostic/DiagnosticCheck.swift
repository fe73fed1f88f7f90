/// Why bytes are no visible-depth diagnostic. Members are named by their place, as in `phases.averageFPS`.
public enum DiagnosticRefusal: Error, Equatable, Sendable {
    case tooLarge(bytes: Int)
    /// Not strict JSON, not an object, a key twice, a number without end.
    case malformed
    /// A key that must not stand anywhere, however deep: it would hold what never leaves the machine.
    case forbiddenKey(String)
    case unknownKey(String)
    case missingKey(String)
    /// Keys that are not in ascending order.
    case unsorted(String)
    /// A value of another type, out of its range, or not one of its names.
    case invalid(String)
}

/// Checks the bytes of a diagnostic against its contract, by rules of its own: what the encoder believes is not asked.
public enum DiagnosticCheck {
    /// Throws the first fault: size, then form, then keys that are forbidden, then each member in the order of the file.
    public static func check(_ bytes: [UInt8]) throws(DiagnosticRefusal) {
        guard bytes.count <= 65_536 else { throw .tooLarge(bytes: bytes.count) }
        let tree: DiagnosticNode
        do throws(Rejection) {
            tree = try DiagnosticNode.read(bytes, atMost: 65_536)
        } catch {
            throw .malformed
        }
        guard case .object(let root) = tree else { throw .malformed }
        try refuseForbiddenKeys(tree)
        try object(root, at: "", DiagnosticRules.root)
        try outcome(root)
    }

    private static func refuseForbiddenKeys(_ node: DiagnosticNode) throws(DiagnosticRefusal) {
        switch node {
        case .object(let members):
            for (key, value) in members {
                guard !DiagnosticRules.isForbidden(key) else { throw .forbiddenKey(key) }
                try refuseForbiddenKeys(value)
            }
        case .array(let elements): for element in elements { try refuseForbiddenKeys(element) }
        case .text, .number, .truth, .null: break
        }
    }

    private static func object(
        _ members: [(key: String, value: DiagnosticNode)], at place: String, _ rules: [DiagnosticRules.Member]
    ) throws(DiagnosticRefusal) {
        var before: String?
        for (key, value) in members {
            let name = place + key
            guard let rule = rules.first(where: { $0.key == key }) else { throw .unknownKey(name) }
            if let before, !before.utf8.lexicographicallyPrecedes(key.utf8) { throw .unsorted(name) }
            before = key
            try check(value, against: rule.value, at: name)
        }
        for rule in rules where rule.isNeeded && !members.contains(where: { $0.key == rule.key }) {
            throw .missingKey(place + rule.key)
        }
    }

    private static func check(
        _ value: DiagnosticNode, against rule: DiagnosticRules.Value, at name: String
    ) throws(DiagnosticRefusal) {
        switch (rule, value) {
        case (.truth, .truth): break
        case (.fixed(let wanted), .truth(let truth)) where truth == wanted: break
        case (.name(let names), .text(let text)) where names.contains(text): break
        case (.text(let most, let isGood), .text(let text)) where (1...most).contains(text.unicodeScalars.count) && isGood(text): break
        case (.number(let most), .number(let number, _)) where (0...most).contains(number): break
        case (.count(let most), .number(let number, isWhole: true)) where (0...most).contains(number): break
        case (.object(let rules), .object(let members)): try object(members, at: "\(name).", rules)
        case (.phases, .array(let elements)): try phases(elements, at: "\(name).")
        default: throw .invalid(name)
        }
    }

    /// At most one of each, calibration first.
    private static func phases(_ elements: [DiagnosticNode], at place: String) throws(DiagnosticRefusal) {
        var rest = ["calibration", "wall_scan"][...]
        for element in elements {
            guard case .object(let members) = element, let phase = members.text("phase") else { throw .invalid("\(place)phase") }
            guard let index = rest.firstIndex(of: phase) else { throw .invalid("\(place)phase") }
            rest = rest[(index + 1)...]
            try object(members, at: place, phase == "calibration" ? DiagnosticRules.calibration : DiagnosticRules.wallScan)
        }
    }

    /// What the members must be to each other: a failure has a reason and a completed run has none, and only a whole run is completed.
    private static func outcome(_ root: [(key: String, value: DiagnosticNode)]) throws(DiagnosticRefusal) {
        let status = root.text("completionStatus")
        let hasReason = root.text("failureReason") != nil
        guard status == "cancelled" || hasReason == (status == "failed") else { throw .invalid("failureReason") }
        guard status == "completed" else { return }
        guard case .array(let phases)? = root.first(where: { $0.key == "phases" })?.value, phases.count == 2 else {
            throw .invalid("completionStatus")
        }
        for (phase, window) in zip(phases, [14.5...16.5, 29.5...32.0]) {
            guard case .object(let members) = phase, let observed = members.number("observedDurationSeconds"), window.contains(observed)
            else { throw .invalid("completionStatus") }
        }
    }
}

extension [(key: String, value: DiagnosticNode)] {
    fileprivate func text(_ key: String) -> String? {
        if case .text(let text)? = first(where: { $0.key == key })?.value { text } else { nil }
    }

    fileprivate func number(_ key: String) -> Double? {
        if case .number(let number, _)? = first(where: { $0.key == key })?.value { number } else { nil }
    }
}
