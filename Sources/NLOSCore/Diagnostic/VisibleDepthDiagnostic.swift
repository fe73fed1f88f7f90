/// What a direct-depth validation leaves behind: everything that may stand in the file, and nothing else can be put in.
///
/// No field is free text, none holds a distance, a map, a histogram, a serial number, a place on the bus or a name of a host, and the
/// evidence is not a field at all. Source: the depth-validation contract, "The diagnostic".
public struct VisibleDepthDiagnostic: Equatable, Sendable {
    /// A larger one is refused.
    public static let mostBytes = 65_536

    /// What the sensor could deliver, whatever the run made use of.
    public struct Capabilities: Equatable, Sendable {
        let visibleDepth: Bool
        let sensorTemperature: Bool
        let histogram: MeasuredHistogram?

        /// `histogram` is nil for a sensor that reports depth only.
        public init(histogram: MeasuredHistogram?, visibleDepth: Bool = true, sensorTemperature: Bool = false) {
            self.visibleDepth = visibleDepth
            self.sensorTemperature = sensorTemperature
            self.histogram = histogram
        }

        /// Of a sensor that was not found.
        public static let none = Capabilities(histogram: nil, visibleDepth: false)
    }

    /// What the kernel said when the sensor was to be opened.
    public enum Permission: String, CaseIterable, Sendable {
        case notRequested = "not_requested"
        case granted, denied
    }

    /// What the tester has agreed to. Raw sensor data are never exported, so there is nothing to agree to.
    public struct Consent: Equatable, Sendable {
        let localValidation: Bool
        let diagnosticExport: Bool

        public init(localValidation: Bool, diagnosticExport: Bool) {
            self.localValidation = localValidation
            self.diagnosticExport = diagnosticExport
        }
    }

    /// How the run ended.
    public struct Outcome: Equatable, Sendable {
        enum Status: String { case completed, cancelled, failed }

        let status: Status
        let reason: PublicSentence?
        let phases: [PhaseSummary]

        /// Nil unless both phases had their whole length: a shortened run can never be this.
        public static func completed(calibration: PhaseSummary, wallScan: PhaseSummary) -> Outcome? {
            let phases = [calibration, wallScan]
            guard phases.map(\.phase) == ValidationPhase.allCases, phases.allSatisfy(\.isWhole) else { return nil }
            return Outcome(status: .completed, reason: nil, phases: phases)
        }

        /// It was ended before its 45 seconds were over, by the tester or by a shortened plan, which is then the reason. Of each phase the
        /// first summary counts.
        public static func cancelled(_ phases: [PhaseSummary], _ reason: PublicSentence? = nil) -> Outcome {
            Outcome(status: .cancelled, reason: reason, phases: inOrder(phases))
        }

        /// Of each phase the first summary counts.
        public static func failed(_ reason: PublicSentence, _ phases: [PhaseSummary]) -> Outcome {
            Outcome(status: .failed, reason: reason, phases: inOrder(phases))
        }

        private static func inOrder(_ phases: [PhaseSummary]) -> [PhaseSummary] {
            ValidationPhase.allCases.compactMap { phase in phases.first { $0.phase == phase } }
        }
    }

    let session: RunIdentifier
    let createdAtUnixMs: UInt64
    let sensorModelFamily: String
    let system: SystemDescription
    let bridgeVersion: PublicSentence
    let capabilities: Capabilities
    let permission: Permission
    let consent: Consent
    let outcome: Outcome

    /// - Parameters:
    ///   - createdAtUnixMs: when the run ended.
    ///   - sensorModel: the model of a profile of this build; nil when no sensor was found.
    ///   - source: what the frames were; nil when none could be had. Whatever is not live says so beside the model's name, because
    ///     the contract has no field of its own for it.
    ///   - bridgeVersion: the program's own.
    public init(
        session: RunIdentifier, createdAtUnixMs: UInt64, sensorModel: SafeLabel?, source: FrameSource?, system: SystemDescription,
        bridgeVersion: StaticString, capabilities: Capabilities, permission: Permission, consent: Consent, outcome: Outcome
    ) {
        self.session = session
        self.createdAtUnixMs = createdAtUnixMs
        let mark = source?.watermark.map { " (\($0))" } ?? ""
        sensorModelFamily = (sensorModel?.text ?? "none") + mark
        self.system = system
        self.bridgeVersion = PublicSentence(stringLiteral: bridgeVersion)
        self.capabilities = capabilities
        self.permission = permission
        self.consent = consent
        self.outcome = outcome
    }
}
