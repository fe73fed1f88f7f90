import NLOSCore

/// What is known of the sensor on this machine that runs beside a stream.
///
/// It holds rates and names and no distance, so nothing of the local depth channel can get into a track.
struct LocalSensorReport: Equatable, Sendable {
    /// The raw value is the word in JSON.
    enum State: String, Sendable {
        case streaming
        /// It is there and sends no frame.
        case stalled
        case absent
    }

    var state = State.absent
    /// As messages name it; nil until one was found.
    var path: String?
    /// Where its bytes come from; nil until one was found.
    var origin: FrameSource?
    var sensorModel: SafeLabel?
    /// What a frame made of its bytes may say of itself: a simulated or replayed sensor has only `replay`.
    var kind: TransientKind?
    /// What the user calls it, where the user said so.
    var sensorId: SafeLabel?
    /// What the firmware has said of itself in this session, or the user of it.
    var firmwareVersion: SafeLabel?
    /// Over the last second; nil where there was none.
    var framesPerSecond: Double?
    /// Share of zones with a distance that counts, mean over the last second's frames.
    var coverage: Double?
    /// Why it is not streaming, or what was noticed about it.
    var problem: Message?

    /// What stands beside everything that is shown of it.
    var watermark: String? { origin?.watermark }
}

/// The local sensor and what the stream says of its own.
struct PairedReport: Equatable, Sendable {
    let sensor: LocalSensorReport
    let agreement: Agreement
    /// What is on display says that it comes from a live sensor on a serial line, and no such sensor streams here.
    let claimIsUnsupported: Bool

    /// `frame` is what is on display now.
    init(_ sensor: LocalSensorReport, beside frame: DisplayableFrame?) {
        self.sensor = sensor
        agreement = Agreement(of: sensor, with: frame)
        let claims = frame.map { $0.evidence.source == .live && $0.evidence.transport == .usbSerial } ?? false
        let differs = if case .differs = agreement { true } else { false }
        claimIsUnsupported = claims && (sensor.state != .streaming || sensor.origin != .live || differs)
    }
}
