import DepthValidation
import Glibc
import NLOSCore

/// Where a run shows itself while it goes on: a full screen, or one line a second. Never blocks the frames.
final class ValidationDisplay {
    private enum Surface {
        case screen(FullScreen)
        case lines((String) -> Void)
    }

    private static let lineNs: UInt64 = 1_000_000_000
    /// Five pictures a second are as many as anybody reads.
    private static let pictureNs: UInt64 = 200_000_000
    /// Messages kept for the time after the screen.
    private static let mostKept = 20

    private let surface: Surface
    private let subject: ValidationSubject
    private var dueNs: UInt64 = 0
    private var lastState: LiveState?
    private var flood = Flood()
    private var kept: [Message] = []
    private var keptTooMany = 0

    /// With `plain`, or where no full screen makes sense, in lines on standard error.
    init(plain: Bool, subject: ValidationSubject) {
        self.subject = subject
        let screen = plain ? nil : FullScreen(on: .messages)
        surface = screen.map(Surface.screen) ?? .lines { Terminal.messages.line($0) }
    }

    /// In lines that somebody else takes.
    init(subject: ValidationSubject, lines: @escaping (String) -> Void) {
        self.subject = subject
        surface = .lines(lines)
    }

    /// When something wants to be shown, on the monotonic clock.
    var deadlineNs: UInt64? { dueNs }

    /// The descriptor that has to be writable before the rest of a picture goes out.
    var waitsToWrite: CInt? {
        if case .screen(let screen) = surface, screen.hasBacklog { screen.descriptor } else { nil }
    }

    /// Lets the screen go on with what it was writing and with what the tester did to it.
    func attend(_ changes: [SignalInbox.ScreenChange]) {
        guard case .screen(let screen) = surface else {
            if changes.contains(.stop) { kill(getpid(), SIGSTOP) }
            return
        }
        for change in changes {
            switch change {
            case .resized: screen.resized()
            case .stop: screen.stopAndContinue()
            }
        }
        if !changes.isEmpty { draw(on: screen) }
        // A key means nothing here, and must not wait for the shell.
        while screen.key() != nil {}
        screen.flush()
    }

    func isDue(nowNs: UInt64) -> Bool { nowNs >= dueNs }

    func update(_ state: LiveState, nowNs: UInt64) {
        lastState = state
        switch surface {
        case .screen(let screen):
            dueNs = nowNs + Self.pictureNs
            draw(on: screen)
        case .lines(let print):
            // In step with the first one, so that a second's line is never left out.
            dueNs = dueNs == 0 ? nowNs + Self.lineNs : max(dueNs + Self.lineNs, nowNs)
            let width = Terminal.messages.isTerminal ? Terminal.messages.width : .max
            print(ValidationLine.text(of: state, subject, width: width))
        }
    }

    /// Tells what the board or its stream had to say: at once in lines, after the run where a screen is up.
    func say(_ message: Message, nowNs: UInt64) {
        guard case .screen = surface else {
            if flood.admits(nowNs: nowNs) { bridge.say(message) }
            return
        }
        if kept.count < Self.mostKept { kept.append(message) } else { keptTooMany += 1 }
        if let lastState, case .screen(let screen) = surface {
            screen.show(ValidationPicture.of(lastState, subject, kept.last, screen.size))
        }
    }

    /// Gives the terminal back, and then tells what could not be told before.
    func close() {
        guard case .screen(let screen) = surface else { return }
        screen.close()
        for message in kept { bridge.say(message) }
        if keptTooMany > 0 { bridge.say(Message(text: "\(keptTooMany) further lines were not shown")) }
        kept.removeAll()
    }

    private func draw(on screen: FullScreen) {
        if let lastState { screen.show(ValidationPicture.of(lastState, subject, kept.last, screen.size)) }
    }
}

/// What a run looks at, as every screen and line names it.
struct ValidationSubject {
    /// As messages name it: `usb:1-4`, `sim:matte-wall`.
    let path: String
    let origin: FrameSource
    let plan: PhasePlan
    /// As in `4x4 zones, 8 bins, 30 Hz`: what was asked of the sensor, or what a recording shows.
    let setting: String

    /// What stands over everything that is shown, in one line: that nothing was measured now, that the run is a short one.
    var marks: [String] {
        var marks: [String] = []
        if let watermark = origin.watermark { marks.append(watermark) }
        if plan.isShortened { marks.append("SHORTENED") }
        return marks
    }
}
