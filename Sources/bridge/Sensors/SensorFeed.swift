import NLOSCore
import TransientSensor

/// Where each frame's pose comes from.
enum PoseSource {
    case fixed
    case file(PoseFile)

    func current() throws(RunFailure) -> SensorPose {
        switch self {
        case .fixed: return .fixed
        case .file(let file): return try file.current()
        }
    }

    func advance() { if case .file(let file) = self { file.advance() } }
}

/// A sensor's bytes as transient frames.
final class SensorFeed: FrameFeed {
    /// What only the person who set the sensor up can know.
    struct Labels {
        var sessionId: SafeLabel
        var sensorId: SafeLabel
        /// Overrides what the firmware says of itself.
        var firmwareVersion: SafeLabel?
        /// Every count is divided by two to this power.
        var countShift = 0
    }

    private let stream: SensorStream
    private let profile: SensorProfile
    private let labels: Labels
    private let poses: PoseSource
    private let recording: Recording?
    private var views: FrameViews?
    /// The frames' firmwareVersion: what was known at the first one, and then the same for the whole session, or a calibration
    /// would refuse the rest of it.
    private var version: SafeLabel?
    /// What the frames say of their bins, from the first one on.
    private var timing: BinTiming?
    private var refused = 0
    private var hasEmitted = false
    /// Refused frames, with none emitted, after which somebody should hear why.
    private static let manyRefused = 20
    private var failure: RunFailure?

    init(stream: SensorStream, profile: SensorProfile, labels: Labels, poses: PoseSource, recording: Recording?) {
        self.stream = stream
        self.profile = profile
        self.labels = labels
        self.poses = poses
        self.recording = recording
    }

    var readiness: CInt? { stream.readiness }
    var deadlineNs: UInt64? { stream.deadlineNs }
    var canWait: Bool { stream.source.keepsOwnTime }

    func start(_ emit: (FeedEvent) -> Void) throws(RunFailure) {
        if stream.source.origin == .synthetic {
            let path = stream.source.path
            let why = path.hasPrefix("replay:") ? "a program spoke when this was recorded" : "a program speaks there"
            emit(.notice(Message(text: "\(path): \(why) and no sensor: every frame is labelled synthetic")))
        }
        do throws(SensorError) {
            try stream.start { take($0, emit) }
        } catch {
            throw RunFailure(error)
        }
        try check()
    }

    func service(_ emit: (FeedEvent) -> Void) throws(RunFailure) -> Drained {
        let drained: Drained
        do throws(SensorError) {
            drained = try stream.service { take($0, emit) }
        } catch .unplugged(let path) {
            stream.finish { take($0, emit) }
            throw RunFailure(.unplugged(path: path))
        } catch {
            throw RunFailure(error)
        }
        try check()
        return drained
    }

    func finish(_ emit: (FeedEvent) -> Void) throws(RunFailure) {
        stream.finish { take($0, emit) }
        if let replay = stream.source as? PcapReplay, replay.isTorn {
            emit(.notice(Message(text: "\(replay.path): the file ends inside a record, as after a crash; everything before it was played")))
        }
        try check()
    }

    func close() {
        stream.close()
        recording?.close()
    }

    func account(in summary: inout CaptureSummary) {
        let counters = stream.session.counters
        summary.bytesReceived = counters.bytesReceived
        summary.bytesSkipped = counters.bytesSkipped
        summary.bytesLost = stream.source.bytesLost
        summary.stalls = stream.source.stalls
        summary.negativesEmittedAsZero = views?.negativesEmittedAsZero ?? 0
        summary.profile = profile.name
        summary.framesMissing = counters.framesDecoded > 0 ? counters.framesMissing : nil
        summary.countShift = views == nil ? 0 : labels.countShift
        summary.timing = timing
        summary.firmwareVersion = version?.text
        summary.recording = recording?.result
    }

    private func take(_ output: SessionOutput, _ emit: (FeedEvent) -> Void) {
        switch output {
        case .frame(let frame): take(frame, emit)
        case .rejected(let fault): emit(.refused(fault.rawValue))
        case .gap(let reason, let atNs): emit(.gap(reason.rawValue, atMonotonicNs: atNs))
        case .log(let line): emit(.log(line))
        case .notice(let message): emit(.notice(message))
        case .send, .failed: break  // the stream's own affair
        }
    }

    private func take(_ frame: FirmwareFrame, _ emit: (FeedEvent) -> Void) {
        guard failure == nil else { return }
        do throws(RunFailure) {
            if views == nil {
                views = try makeViews(for: frame)
            }
            let pose = try poses.current()
            do throws(TransientRefusal) {
                let transient = try views!.transient(of: frame, pose: pose)
                poses.advance()
                hasEmitted = true
                emit(.frame(transient))
            } catch {
                refused += 1
                emit(.refused(error.rawValue))
                if refused == Self.manyRefused, !hasEmitted { emit(.notice(onlyRefused(error))) }
            }
        } catch {
            failure = error
        }
    }

    private func makeViews(for frame: FirmwareFrame) throws(RunFailure) -> FrameViews {
        let shape = FrameShape(zones: frame.zones, bins: frame.bins)
        let path = stream.source.path
        guard profile.histogram != nil, shape.bins > 0 else { throw Self.depthOnly(path) }
        guard !frame.distanceMm.isEmpty else { throw Self.withoutDistances(path) }
        guard labels.countShift == 0 || profile.histogram == .raw else { throw Self.notCounts(path) }
        guard let timing = stream.session.timing else {
            throw RunFailure(
                Message(
                    text: "\(path): the stream has \(shape) and nothing says how wide its bins are, so no honest frame can be made of it",
                    next: "add --zones, --bins, --start-bin and --subsample: alone they configure the board, with --no-configure "
                        + "they state what it already runs"),
                status: .refused, end: .deviceError)
        }
        let said = labels.firmwareVersion ?? stream.session.firmwareVersion ?? SafeLabel("unreported")!
        guard
            let views = FrameViews(
                profile: profile, origin: stream.source.origin, shape: shape, fieldOfView: stream.session.fieldOfView, timing: timing,
                countShift: labels.countShift, sessionId: labels.sessionId,
                sensor: SensorIdentity(
                    sensorId: labels.sensorId, sensorModel: profile.sensorModel, firmwareVersion: said))
        else { throw RunFailure(.unsupportedShape(path: path, shape: shape)) }
        self.version = views.sensor.firmwareVersion
        self.timing = timing
        return views
    }

    private func onlyRefused(_ refusal: TransientRefusal) -> Message {
        Message(
            text: "\(stream.source.path): \(refused) frames came and none could be emitted; the last was refused as \(refusal.rawValue)",
            next: refusal == .histogramOverflow && profile.histogram == .raw
                ? "add --count-shift, or step back"
                : "point the sensor so that every zone sees a surface within 0.01 to 10 m")
    }

    /// The refusal this tool is built around.
    static func depthOnly(_ path: String) -> RunFailure {
        RunFailure(
            Message(text: "\(path): this sensor delivers depth only; depth has lost the photon timing and is never NLOS evidence"),
            status: .refused, end: .deviceError)
    }

    private static func withoutDistances(_ path: String) -> RunFailure {
        RunFailure(
            Message(
                text:
                    "\(path): this firmware sends histograms and no distances; a transient frame needs each zone's distance, and none is made up",
                next: "use a firmware that reports distances beside its histograms, see hardware/"),
            status: .refused, end: .deviceError)
    }

    private static func notCounts(_ path: String) -> RunFailure {
        RunFailure(
            Message(text: "\(path): its histograms are normalized by the chip and are no counts", next: "leave --count-shift away"),
            status: .usage, end: .deviceError)
    }

    private func check() throws(RunFailure) {
        if let failure { throw failure }
    }
}
