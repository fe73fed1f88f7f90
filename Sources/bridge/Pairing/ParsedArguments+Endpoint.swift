import NLOSCore

extension ParsedArguments {
    /// The server that the first operand names. A refusal does not repeat what was typed: it may hold a password or a token.
    var endpoint: MonitorEndpoint {
        get throws(UsageError) {
            do throws(EndpointRefusal) {
                return try MonitorEndpoint(operands.first ?? "")
            } catch {
                throw UsageError(error.message.text, next: error.message.next)
            }
        }
    }
}
