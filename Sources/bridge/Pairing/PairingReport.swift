import NLOSCore
import TrackMonitor

/// What `pair` and `unpair` print with `--json`.
enum PairingReport {
    /// `change` says whether there was a pairing before.
    static func write(_ endpoint: MonitorEndpoint, paired: Bool, change: StaticString, _ changed: Bool) throws(SystemFailure) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("schema", "nlos-bridge.pairing.v1")
        writer.member("endpoint", endpoint.credentialName)
        writer.member("paired", paired)
        writer.member(change, changed)
        writer.endObject()
        writer.endLine()
        try Terminal.output.write(writer.bytes)
    }
}

extension PairingToken {
    /// What to say where the token's memory could not be locked.
    var swapNotice: Message? {
        guard !isLocked else { return nil }
        return Message(
            text: "the memory that holds the token cannot be locked, so the token may be written to swap",
            next: "ulimit -l 64, or LimitMEMLOCK=64K in the unit")
    }
}
