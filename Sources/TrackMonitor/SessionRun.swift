import NLOSCore

/// What a session's thread does, from the first event to the last.
struct SessionRun {
    private let configuration: MonitorConfiguration
    private let mailbox: Mailbox
    private let stop: StopRequest
    private let token: PairingToken

    init(_ configuration: MonitorConfiguration, _ mailbox: Mailbox, _ stop: StopRequest, _ token: PairingToken) {
        self.configuration = configuration
        self.mailbox = mailbox
        self.stop = stop
        self.token = token
    }

    func run() {
        mailbox.post(.connecting(configuration.endpoint))
        let end: SessionEnd
        do throws(SessionEnd) { end = try converse() } catch { end = error }
        mailbox.post(.disconnected(end.disconnection(configuration, hiding: token)))
    }

    /// Throws what ends the session before there is a WebSocket, returns what ends it after.
    private func converse() throws(SessionEnd) -> SessionEnd {
        let endpoint = configuration.endpoint
        let limits = configuration.limits
        var waiting = Waiting(stop: stop, alarms: try makeAlarms(), clocks: configuration.clocks)
        let socket = try waiting.connect(to: configuration.address ?? endpoint.host, endpoint.port, within: limits.connect)
        let channel = try waiting.secure(socket, for: endpoint, trust: configuration.trust, within: limits.tls)
        let first = try waiting.upgrade(channel, to: endpoint, token: token, within: limits.upgrade)
        let stream = TrackStream(name: endpoint.credentialName, limits: limits, clocks: configuration.clocks) { mailbox.post($0) }
        var conversation: Conversation
        do throws(SystemCallFailure) {
            conversation = try Conversation(channel, waiting, stream, limits: limits)
        } catch { throw .system(error) }
        return conversation.run(startingWith: first)
    }

    private func makeAlarms() throws(SessionEnd) -> any SessionAlarms {
        do throws(SystemCallFailure) { return try configuration.alarms() } catch { throw .system(error) }
    }
}
