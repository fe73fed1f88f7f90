public import NLOSCore

extension UnknownScene {
    public var message: Message {
        Message(text: "no simulated sensor is called '\(escaped(name.utf8))'", next: "one of sim:" + known.joined(separator: ", sim:"))
    }
}

extension FaultSyntaxError {
    public var message: Message {
        switch self {
        case .unknown(let name):
            Message(
                text: "there is no fault '\(escaped(name.utf8))'", next: "one of " + FaultSwitch.all.map(\.form).joined(separator: ", "))
        case .missingValue(let fault):
            Message(text: "the fault '\(fault.name)' needs a value: \(fault.meaning)", next: "--fault \(fault.form)")
        case .badValue(let fault, let value) where fault.value == nil:
            Message(text: "the fault '\(fault.name)' takes no value, not '\(escaped(value.utf8))'", next: "--fault \(fault.name)")
        case .badValue(let fault, let value):
            Message(
                text: "'\(escaped(value.utf8))' is no value of the fault '\(fault.name)': \(fault.meaning)", next: "--fault \(fault.form)")
        }
    }
}
