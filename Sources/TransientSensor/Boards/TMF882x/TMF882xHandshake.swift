/// The way from whatever state a board is in to the measurement that is wanted: one command, its state line, the next.
///
/// Loading the sensor's firmware (`e`, `E`) is the only thing that sets the mode, the configuration and the histograms to known values,
/// so the way always leads over it.
struct TMF882xHandshake: Sendable {
    typealias Command = Character

    /// Loads 8x8; loads 3x3 and 4x4.
    static let load8x8: Command = "e"
    static let loadOthers: Command = "E"
    static let help: Command = "h"
    static let powerOff: Command = "d"
    static let toggleMode: Command = "o"
    static let nextConfiguration: Command = "c"
    static let nextHistograms: Command = "z"
    static let measure: Command = "m"
    static let stop: Command = "s"

    private let sketch: TMF882xSketch
    /// What is wanted.
    private(set) var layout: TMF882xLayout

    private var mode: TMF882xMode?
    private var state: TMF882xText.State?
    private var map: TMF882xSpadMap?
    /// What `z` has set.
    private var histograms = 0
    private var presses = 0
    private var toggles = 0
    /// The sensor's firmware was loaded by this handshake.
    private var isLoaded = false
    /// What the board is set to is what is wanted.
    private var isReady = false
    private var attempts = 0
    private static let mostAttempts = 3

    enum Step: Equatable {
        case send(Command)
        /// It measures what is wanted.
        case measures
        /// The board keeps falling back.
        case sensorDoesNotStart
        /// It does not take the setting.
        case refused
    }

    init(_ sketch: TMF882xSketch, _ layout: TMF882xLayout) {
        self.sketch = sketch
        self.layout = layout
    }

    /// The board measures by itself, or by somebody's command, and that is wanted.
    mutating func adopt(_ layout: TMF882xLayout) {
        self.layout = layout
        isReady = true
    }

    mutating func hear(_ text: TMF882xText) {
        switch text {
        case .state(let mode, let state):
            self.mode = mode
            self.state = state
            // Told before the mode was changed, which tells none.
            if map?.isOf(mode) == false { map = nil }
            if state == .disabled, isLoaded || isReady { startOver() }
        case .configuration(let configuration): map = configuration.map
        case .histograms(let level): histograms = level
        case .error(.measurementStopped, _): state = .stopped
        case .driver, .range, .error, .words: break
        }
    }

    /// A command's state line has not come. What a command that changes something has done is not known then.
    mutating func isUnanswered(_ command: Command) {
        if command != Self.help { startOver() }
        state = nil
    }

    private mutating func startOver() {
        isLoaded = false
        isReady = false
        attempts += 1
        presses = 0
        toggles = 0
        histograms = 0
        map = nil
    }

    /// What to do now that the board is in the state it has told.
    mutating func next() -> Step {
        guard attempts < Self.mostAttempts else { return .sensorDoesNotStart }
        guard let state else { return .send(Self.help) }
        if isReady {
            attempts = 0
            switch state {
            case .measure: return .measures
            case .stopped: return .send(Self.measure)
            case .disabled, .standby, .error, .unknown: startOver()
            }
        }
        return isLoaded ? configure(state) : load(state)
    }

    private mutating func load(_ state: TMF882xText.State) -> Step {
        switch state {
        case .measure: return .send(Self.stop)
        case .disabled where mode != wantedMode && toggles == 0:
            toggles = 1
            return .send(Self.toggleMode)
        case .disabled:
            isLoaded = true
            presses = 0
            histograms = 0
            return .send(wantedMode == .tmf8828 ? Self.load8x8 : Self.loadOthers)
        case .stopped, .standby, .error, .unknown: return .send(Self.powerOff)
        }
    }

    private mutating func configure(_ state: TMF882xText.State) -> Step {
        guard state == .stopped else {
            startOver()
            return .send(Self.powerOff)
        }
        if mode != wantedMode {
            guard toggles < 3 else { return .refused }
            toggles += 1
            return .send(Self.toggleMode)
        }
        if presses < sketch.presses[layout.side] ?? 0 {
            presses += 1
            return .send(Self.nextConfiguration)
        }
        if let map, map.side != layout.side { return .refused }
        if histograms != (layout.hasHistograms ? 1 : 0) {
            histograms = (histograms + 1) % 4
            return .send(Self.nextHistograms)
        }
        isReady = true
        return .send(Self.measure)
    }

    private var wantedMode: TMF882xMode { layout.side == 8 ? .tmf8828 : .tmf882x }
}
