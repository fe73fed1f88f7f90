import CLinux
import Foundation

/// The Python server of Tests/TrackServer as a child of this process: one for all tests, a listener for each scenario.
///
/// It ends when its standard input does, so it never outlives the tests, however they end.
public final class TrackServer: Sendable {
    /// What `scripts/test` makes; an ordinary `swift test` may run without it.
    public static let isInstalled = FileManager.default.isExecutableFile(atPath: python)
    public static let absence = "the track server is not installed here: scripts/test makes \(environment)"
    /// Started by the first test that asks.
    public static let shared = Result { try TrackServer() }

    /// The token that it finds right; a secret of nobody.
    public static let token = "no-secret:the-token-of-the-track-server-tests"

    private static let environment = ".build/track-server-venv"
    private static let python = "\(root)/\(environment)/bin/python"
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path()

    /// Holds the certificates that were made when it started.
    public let certificates: String
    private let orders: CInt
    private let reports: ReportLog

    private init() throws {
        let process = try Child([Self.python, "\(Self.root)Tests/TrackServer/server.py"], variables: ["TRACK_SERVER_TOKEN": Self.token])
        orders = process.input
        reports = ReportLog(readingFrom: process.output)
        certificates = try reports.wait { $0.first?.certificates }
    }

    /// The certificate authority to believe.
    public var authority: String { "\(certificates)/ca.pem" }

    /// SHA-256 of each certificate's public key, by the name of the certificate.
    public var pins: [String: [UInt8]] {
        get throws {
            let text = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: URL(filePath: "\(certificates)/pins.json")))
            return text.mapValues { hex in
                let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
                return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            }
        }
    }

    /// Opens a port that plays a scenario to everyone who connects.
    public func open(_ scenario: String, _ more: [String: any Sendable] = [:]) throws -> ServedScenario {
        // Two orders at once could not tell whose port is whose.
        try Self.opening.withLock {
            let before = reports.all.count
            try order(["do": "open", "scenario": scenario].merging(more) { $1 })
            let report = try reports.wait { all in all[before...].first { ["listening", "refused"].contains($0.what) } }
            guard let number = report.listener, let port = report.port else { throw Refused(why: report.why ?? "no reason") }
            return ServedScenario(server: self, number: number, port: port)
        }
    }

    private static let opening = NSLock()

    func order(_ order: [String: any Sendable]) throws {
        let line = try JSONSerialization.data(withJSONObject: order) + [UInt8(ascii: "\n")]
        let written = line.withUnsafeBytes { write(orders, $0.baseAddress, $0.count) }
        guard written == line.count else { throw POSIXError(.EPIPE) }
    }

    func reports(of listener: Int) -> [Report] { reports.all.filter { $0.listener == listener } }

    func wait<Found>(seconds: Double, for find: ([Report]) -> Found?) throws -> Found {
        try reports.wait(seconds: seconds, for: find)
    }

    struct Refused: Error, CustomStringConvertible {
        let why: String
        var description: String { "the track server refused: \(why)" }
    }
}

/// A port that plays one scenario. Closed when nobody needs it any more.
public final class ServedScenario: Sendable {
    private let server: TrackServer
    private let number: Int
    public let port: UInt16

    init(server: TrackServer, number: Int, port: UInt16) {
        self.server = server
        self.number = number
        self.port = port
    }

    deinit { try? server.order(["do": "close", "listener": number]) }

    /// Waits until nobody listens there any more. Returns the port.
    public func close() throws -> UInt16 {
        try server.order(["do": "close", "listener": number])
        try wait { $0.what == "closed" }
        return port
    }

    /// Lets the scenario do its next step that waits for this.
    public func go() throws { try server.order(["do": "go", "listener": number]) }

    /// Tells the program behind the port to `stop`, to `start` again or to `reload`.
    public func tell(_ word: String) throws { try server.order(["do": "tell", "listener": number, "word": word]) }

    /// Everything the server said about this port so far.
    public var reports: [Report] { server.reports(of: number) }

    /// Everything it said of one kind.
    public func reports(_ what: String) -> [Report] { reports.filter { $0.what == what } }

    /// Waits until the server has said something that fits.
    @discardableResult
    public func wait(seconds: Double = 20, for fits: (Report) -> Bool) throws -> Report {
        try server.wait(seconds: seconds) { $0.first { $0.listener == number && fits($0) } }
    }
}
