import DepthValidation
import Glibc
import NLOSCore
import TransientSensor

/// One validation from the command line's wishes to the diagnostic.
struct ValidationSession {
    let choice: SensorChoice
    let plan: PhasePlan
    let isPlain: Bool
    let isJSON: Bool
    /// The command line was the tester's word to go.
    let startsAtOnce: Bool
    let export: DiagnosticExport?
    let clocks: Clocks

    /// What is known of the sensor, more and more of it.
    private struct Known {
        var profile: SensorProfile?
        var origin: FrameSource?
        var permission = VisibleDepthDiagnostic.Permission.notRequested
        var hasStarted = false
    }

    func run() throws -> ExitStatus {
        let host = HostFacts()
        let signals = try SignalInbox(ofScreen: !isPlain && Terminal.messages.isTerminal && !Terminal.messages.isDumb)
        var known = Known()
        let end = validate(&known, signals, host)
        if case .notOpened(let failure) = end, let message = failure.message { say(message) }
        // A command line that does not say which sensor is no validation.
        if end.status == .usage { return .usage }
        let bytes = try diagnostic(of: end, known, host).encoded()
        let told = Result { try report(end, known.origin ?? .live, bytes) }
        if case .declined = end {
            // A file of nothing would only stand in the way of the next run's.
            say(Message(text: "nothing was started\(export == nil ? "" : ", and nothing is written")"))
            try told.get()
            return end.status
        }
        // A reader that went away takes nothing from the file that the tester consented to.
        let isKept = export.map { self.isKept(bytes, in: $0) } ?? true
        try told.get()
        return isKept || end.status != .done ? end.status : .failed
    }

    private func validate(_ known: inout Known, _ signals: SignalInbox, _ host: HostFacts) -> ValidationEnd {
        do throws(RunFailure) {
            let target = try target()
            (known.profile, known.origin) = (target.profile, target.origin)
            if !startsAtOnce, isAttended, target.access != .denied,
                let signal = ValidationPrompt.ask(
                    about: target, isConfigured: choice.recordedFile == nil, plan: plan, signals: signals)
            {
                return .declined(signal)
            }
            known.hasStarted = true
            if asksKernel { known.permission = .denied }
            let retry = BusyRetry(signals: signals, clocks: clocks)
            let sensor = try retry { () throws(RunFailure) in
                try ValidationSensor(opening: choice, clocks: clocks, interruption: signals.interruption)
            }
            if asksKernel { known.permission = .granted }
            if let recognition = sensor.opened.recognition { say(recognition) }
            (known.profile, known.origin) = (sensor.opened.profile, sensor.opened.source.origin)
            return .ran(try watch(sensor, signals, host))
        } catch {
            // Only a refusal is one; what fails for another reason had its permission.
            if known.permission == .denied, error.status != .denied {
                known.permission = error.status == .noSensor ? .notRequested : .granted
            }
            return .notOpened(error)
        }
    }

    /// The one sensor, before it is opened.
    private func target() throws(RunFailure) -> ProbedSensor {
        do throws(SensorError) {
            let sensors = try choice.list()
            guard let only = sensors.first else { throw .notFound(selector: nil) }
            guard sensors.count == 1 else { throw .several(paths: sensors.map(\.path)) }
            return only
        } catch {
            throw RunFailure(error)
        }
    }

    private func watch(_ sensor: ValidationSensor, _ signals: SignalInbox, _ host: HostFacts) throws(RunFailure) -> ValidationLoop.End {
        let source = sensor.opened.source
        guard let setup = sensor.setup(plan) else {
            source.close()
            throw RunFailure(.badRecording(file: source.path, why: "its setting has no frame rate"))
        }
        let subject = ValidationSubject(path: source.path, origin: source.origin, plan: plan, setting: sensor.setting)
        let display = ValidationDisplay(plain: isPlain, subject: subject)
        defer { display.close() }
        var loop = ValidationLoop(
            stream: SensorStream(source: source, session: sensor.opened.session(sensor.request), clocks: clocks),
            isConfigured: sensor.isConfigured, setup: setup, signals: signals, clocks: clocks, host: host, display: display)
        let end = loop()
        // What the device says of itself is no judgement of a wall that nobody has seen.
        if let failure = end.failure, end.result.phases.isEmpty, !failure.isAboutFrames { throw RunFailure(failure) }
        return end
    }

    /// Somebody is there to press Enter, and to read that it is waited for.
    private var isAttended: Bool { isatty(STDIN_FILENO) == 1 && Terminal.messages.isTerminal }

    /// Whether opening the sensor asks the kernel for anything.
    private var asksKernel: Bool {
        switch choice.place {
        case .attached, .port: true
        case .simulated, .recording: false
        }
    }

    private func diagnostic(of end: ValidationEnd, _ known: Known, _ host: HostFacts) -> VisibleDepthDiagnostic {
        VisibleDepthDiagnostic(
            session: RunIdentifier(), createdAtUnixMs: clocks.unixMs(), sensorModel: known.profile?.sensorModel, source: known.origin,
            system: host.system, bridgeVersion: Program.version,
            capabilities: known.profile.map {
                .init(histogram: $0.histogram, visibleDepth: $0.reportsDepth, sensorTemperature: $0.reportsTemperature)
            } ?? .none, permission: known.permission,
            consent: .init(localValidation: known.hasStarted, diagnosticExport: export != nil),
            outcome: end.outcome(reportsDepth: known.profile?.reportsDepth ?? true))
    }

    // MARK: What is told

    /// Results go to standard output: the diagnostic alone with `--json`, else the report and a look at the diagnostic.
    private func report(_ end: ValidationEnd, _ origin: FrameSource, _ bytes: [UInt8]) throws {
        let terminal = isJSON ? Terminal.messages : Terminal.output
        let width = terminal.isTerminal ? max(60, min(terminal.width, 100)) : 100
        var lines: [String] = []
        if case .ran(let ran) = end {
            if let failure = ran.failure { say(failure.message) }
            lines = ValidationReport(result: ran.result, origin: origin, width: width, terminal: terminal).lines
        }
        guard !isJSON else {
            for line in lines { terminal.line(line) }
            return try Terminal.output.write(bytes + [UInt8(ascii: "\n")])
        }
        // Of a run that never began there is little to keep: its diagnostic is shown where it is going to be written.
        guard !lines.isEmpty || export != nil else { return }
        lines += (lines.isEmpty ? [] : [""]) + ["The diagnostic, all of it:"] + DiagnosticPreview.lines(bytes)
        if export == nil {
            lines += wrapped(
                "It was shown here only. A run with --export FILE --consent-export also writes it to a file. Nothing is ever sent.",
                width: width)
        }
        try terminal.print(lines.joined(separator: "\n"))
    }

    /// Writes the diagnostic where the tester wants it; says so, or why not.
    private func isKept(_ bytes: [UInt8], in export: DiagnosticExport) -> Bool {
        do throws(SystemFailure) {
            try export.write(bytes)
            say(Message(text: "\(escaped(export.file.utf8)): the diagnostic is written there, readable by you only"))
            return true
        } catch {
            say(.cannotExport(export.file, error))
            return false
        }
    }
}

extension Message {
    static func cannotExport(_ path: String, _ failure: SystemFailure) -> Message {
        let why = failure.exists ? "is there already and is never replaced" : "cannot \(failure.operation): \(failure.reason)"
        return Message(text: "\(escaped(path.utf8)): \(why)", next: failure.exists ? "choose another name for --export" : nil)
    }
}
