/// Where the photons of a frame came from. On the wire: `source`.
public enum FrameSource: String, CaseIterable, Sendable {
    case live, replay, synthetic

    /// What stands over everything that is not live, on every line and every screen that shows it; nil for what is.
    public var watermark: String? {
        switch self {
        case .live: nil
        case .replay: "REPLAY"
        case .synthetic: "SYNTHETIC"
        }
    }
}

/// How far a claim may go. On the wire: `evidenceLevel`.
public enum EvidenceLevel: String, CaseIterable, Sendable {
    case synthetic = "l0_synthetic"
    case measured = "l1_measured"
    case calibrated = "l2_calibrated"
    /// Named by the contract and accepted by no rule of it: version 1 cannot carry two modality lineages.
    case corroborated = "l3_corroborated"
}

/// What is left of the photon timing. On the wire: `provenance.transientKind`.
public enum TransientKind: String, CaseIterable, Sendable {
    case rawHistogram = "raw_histogram"
    case compactNormalizedHistogram = "compact_normalized_histogram"
    case depthOnly = "depth_only"
    case replay
}

/// How the frame reached this side. On the wire: `provenance.transport`.
public enum Transport: String, CaseIterable, Sendable {
    case usbSerial = "usb_serial"
    case ruviewServer = "ruview_server"
    case replay
}

/// The histograms a sensor on this machine can measure. There is no case for depth: a depth map has lost the photon timing.
public enum MeasuredHistogram: Sendable, CaseIterable {
    case raw, compactNormalized

    public var kind: TransientKind {
        switch self {
        case .raw: .rawHistogram
        case .compactNormalized: .compactNormalizedHistogram
        }
    }
}

/// Why a combination of claims is not evidence: the first breached column of the contract's table D.
public enum EvidenceBreach: Error, Equatable, Sendable {
    case level, kind, histogramNotPreserved, transport, calibrationHash
}

/// A combination of claims that table D of the wire contract accepts. No other value of this type can exist.
public struct Evidence: Hashable, Sendable {
    public let source: FrameSource
    public let level: EvidenceLevel
    public let kind: TransientKind
    public let histogramPreserved: Bool
    public let transport: Transport
    public let calibrationHash: CalibrationHash

    /// Checks the claims against table D, column by column.
    public init(
        source: FrameSource, level: EvidenceLevel, kind: TransientKind, histogramPreserved: Bool, transport: Transport,
        calibrationHash: CalibrationHash
    ) throws(EvidenceBreach) {
        switch source {
        case .live:
            guard level == .measured || level == .calibrated else { throw .level }
            guard kind == .rawHistogram || kind == .compactNormalizedHistogram else { throw .kind }
            guard histogramPreserved else { throw .histogramNotPreserved }
            guard transport == .usbSerial || transport == .ruviewServer else { throw .transport }
        case .replay:
            guard level != .corroborated else { throw .level }
            guard kind == .replay else { throw .kind }
            guard histogramPreserved else { throw .histogramNotPreserved }
            guard transport == .replay else { throw .transport }
        case .synthetic:
            guard level == .synthetic else { throw .level }
            guard kind == .replay else { throw .kind }
            guard transport == .replay else { throw .transport }
            guard calibrationHash.isZero else { throw .calibrationHash }
        }
        guard level != .calibrated || !calibrationHash.isZero else { throw .calibrationHash }
        self.init(
            unchecked: (source, level, kind, transport), histogramPreserved: histogramPreserved,
            calibrationHash: calibrationHash)
    }

    private init(
        unchecked row: (FrameSource, EvidenceLevel, TransientKind, Transport), histogramPreserved: Bool,
        calibrationHash: CalibrationHash
    ) {
        (source, level, kind, transport) = row
        self.histogramPreserved = histogramPreserved
        self.calibrationHash = calibrationHash
    }

    /// A histogram that a sensor on this machine measured just now. It can be nothing above `l1_measured`.
    public static func measured(_ histogram: MeasuredHistogram) -> Evidence {
        Evidence(
            unchecked: (.live, .measured, histogram.kind, .usbSerial), histogramPreserved: true, calibrationHash: .zero)
    }

    /// A histogram that a program made up.
    public static let synthetic = Evidence(
        unchecked: (.synthetic, .synthetic, .replay, .replay), histogramPreserved: true, calibrationHash: .zero)

    /// The same claim when it is played back: nothing gains by a replay, and what was made up stays so.
    public var replayed: Evidence {
        guard source != .synthetic else { return self }
        return Evidence(
            unchecked: (.replay, level, .replay, .replay), histogramPreserved: true, calibrationHash: calibrationHash)
    }
}
