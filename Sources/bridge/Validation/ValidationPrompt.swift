import CLinux
import DepthValidation
import Glibc
import NLOSCore
import TransientSensor

/// Tells the tester what will happen and waits for the word to go. Nothing is opened before.
enum ValidationPrompt {
    /// Nil to go on; a signal's status when the tester leaves. The end of the input is a refusal too.
    static func ask(about sensor: ProbedSensor, isConfigured: Bool, plan: PhasePlan, signals: SignalInbox) -> ExitStatus? {
        let terminal = Terminal.messages
        for line in text(sensor, isConfigured, plan, width: terminal.helpWidth) { terminal.line(line) }
        var waiting = Waiting()
        while true {
            waiting.begin()
            waiting.add(signals.descriptor, readable: true)
            let input = waiting.add(STDIN_FILENO, readable: true)
            waiting.wait(untilNs: nil, .system)
            if let signal = signals.received() { return signal }
            if signals.takeScreenChanges().contains(.stop) { kill(getpid(), SIGSTOP) }
            guard waiting.ready(input) else { continue }
            var line = [UInt8](repeating: 0, count: 4096)
            let count = read(STDIN_FILENO, &line, line.count)
            if count > 0 { return nil }
            if count == 0 || errno != EINTR { return .interrupted }
        }
    }

    private static func text(_ sensor: ProbedSensor, _ isConfigured: Bool, _ plan: PhasePlan, width: Int) -> [String] {
        let seconds = Phase.allCases.map { decimal(plan.seconds(of: $0), places: 0) }
        let mark = sensor.origin.watermark.map { "\($0) " } ?? ""
        var lines = wrapped("\(mark)Direct-depth validation of \(harmless(sensor.path)) (\(sensor.board))", width: width)
        if plan.isShortened { lines += wrapped("SHORTENED: a demonstration, which never counts as completed.", width: width) }
        lines += columns("  1. \(seconds[0]) s", "hold the sensor still, facing a matte wall at 0.5 to 4 m", at: 11, width: width)
        lines += columns("  2. \(seconds[1]) s", "keep the wall in view and move slowly, 5 to 15 cm a second", at: 11, width: width)
        if isConfigured, sensor.profile?.settings == .vl53l8ch {
            let setting = VL53L8CHConfiguration.light
            lines += wrapped(
                "The board is first set to \(setting.grid.zoneGrid) zones, \(setting.bins) bins and \(setting.rateHz) frames a second.",
                width: width)
        }
        lines += wrapped(
            "Movement is seen toward and away from the wall only: sliding along a plain wall looks like standing still. Only summed-up "
                + "figures are kept, and nothing is sent anywhere.", width: width)
        return lines + ["Press Enter to start, or Ctrl-C to leave it."]
    }
}
