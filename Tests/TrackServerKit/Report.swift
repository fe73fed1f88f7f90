/// One line that the track server says about what it does and sees (Tests/TrackServer/README.md).
public struct Report: Decodable, Equatable, Sendable {
    public let what: String
    public let listener: Int?
    /// From 1, for each listener.
    public let connection: Int?
    public let certificates: String?
    public let port: UInt16?
    /// What a TLS greeting asked for; nil where it named nobody.
    public let serverName: String?

    // The upgrade request.
    public let path: String?
    public let host: String?
    /// `right`, `wrong`, `absent` or `repeated`: the token itself is never repeated.
    public let token: String?
    public let subprotocol: String?
    /// Of WebSocket, or of TLS.
    public let version: String?
    public let keyBytes: Int?
    public let extensions: Bool?
    public let cookies: Bool?
    public let headers: [String]?

    // Frames of the client.
    public let opcode: Int?
    public let final: Bool?
    public let masked: Bool?
    public let length: Int?
    public let closeCode: UInt16?

    // Ends.
    public let how: String?
    public let why: String?
}

/// WebSocket's opcodes, as far as a client of a track stream sends any.
public enum Opcode {
    public static let close = 8
    public static let ping = 9
    public static let pong = 10
}
