import NLOSCore
import TransientSensor

/// What may end a wait before its time: a signal, or the program's own wish.
struct Interruption {
    let descriptor: CInt
    /// How the run ends, once it has come.
    let received: () -> ExitStatus?
}

extension SignalInbox {
    var interruption: Interruption { Interruption(descriptor: descriptor) { self.received() } }
}

/// Finds out which firmware speaks on a port by listening to it at one line setting after the other. Nothing is ever sent.
///
/// Each line setting gets 1.5 s where a board streams by itself and 5 s where it may start anew when its port is opened: some 20 s in all.
struct Hearing {
    /// How a port is opened for one try.
    typealias Opening = (SensorProfile, ModemLines) throws(SensorError) -> any ByteSource

    private static let streamingNs: UInt64 = 1_500_000_000
    /// A boot loader waits up to two seconds, and a sketch may load and calibrate its sensor for three more before its words come.
    private static let bootingNs: UInt64 = 5_000_000_000
    /// What no firmware has been known by so far is not going to be known by more of it.
    private static let enoughBytes = 256 << 10

    let clocks: Clocks
    let interruption: Interruption?
    /// Whether DTR may be raised, of which some boards start anew. Not for a board that nobody has named: it may be anything.
    let mayReset: Bool

    /// The board, open and at its own setting, with everything that was heard still to be read.
    func callAsFunction(_ path: String, _ open: Opening) throws(RunFailure) -> OpenedSensor {
        var total: UInt64 = 0
        for (candidate, lines) in settings {
            do throws(SensorError) {
                let source = try open(candidate, lines)
                do throws(SensorError) {
                    let (profile, heard) = try listen(
                        to: source, at: candidate.lineCoding, for: lines == .raised ? Self.bootingNs : Self.streamingNs)
                    if let profile {
                        return OpenedSensor(source: try HeardSource(source, heard: heard), profile: profile, wasHeard: true)
                    }
                    total += heard.reduce(0) { $0 + UInt64($1.bytes.count) }
                    source.close()
                } catch {
                    source.close()
                    throw error
                }
            } catch .rateRefused {
                // Not every port can do every rate: then no such board is behind it.
            } catch {
                throw RunFailure(error)
            }
            if let status = interruption?.received() { throw RunFailure(nil, status: status, end: .interrupted) }
        }
        throw RunFailure(.unrecognized(path: path, bytes: total))
    }

    /// Every line setting of a known firmware, once, by the first profile that has it.
    private var settings: [(SensorProfile, ModemLines)] {
        var settings: [(SensorProfile, ModemLines)] = []
        for profile in SensorProfile.all where !settings.contains(where: { $0.0.lineCoding == profile.lineCoding }) {
            settings.append((profile, mayReset ? profile.modemLines : .untouched))
        }
        return settings
    }

    private func listen(
        to source: any ByteSource, at coding: LineCoding, for patienceNs: UInt64
    ) throws(SensorError) -> (SensorProfile?, [(bytes: [UInt8], arrival: Arrival)]) {
        var recognizer = FirmwareRecognizer(at: coding)
        var heard: [(bytes: [UInt8], arrival: Arrival)] = []
        var count = 0
        var profile: SensorProfile?
        var waiting = Waiting()
        let untilNs = clocks.monotonicNs() + patienceNs
        while profile == nil, count < Self.enoughBytes, clocks.monotonicNs() < untilNs {
            waiting.begin()
            waiting.add(source.readiness, readable: true)
            let stop = interruption.map { waiting.add($0.descriptor, readable: true) }
            waiting.wait(untilNs: untilNs, clocks)
            if let stop, waiting.ready(stop) { break }
            _ = try source.drain { chunk, arrival in
                count += chunk.count
                heard.append((Array(chunk), arrival))
                if profile == nil { profile = recognizer.hear(chunk) }
            }
        }
        return (profile, heard)
    }
}
