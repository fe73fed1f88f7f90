import DepthValidation
import NLOSCore

/// `validate`: 45 seconds that show whether the sensor's visible-depth channel works.
enum Validate {
    static let spec = CommandSpec(
        name: "validate", operands: "", operandCount: 0...0,
        summary: "Shows in 45 seconds that the sensor sees a wall, sees enough of it, and sees it steadily.",
        details:
            "Face a matte wall at 0.5 to 4 m: 15 seconds holding still, then 30 seconds moving slowly. A board that can be configured is "
            + "first set to 4x4 zones, 8 bins and 30 frames a second. The result is direct_depth, never evidence of anything hidden. On a "
            + "terminal the run starts with Enter. The exit status is 0 only for a completed run.",
        options: SensorOptions.choice + [
            .flag("--yes", "start at once, without waiting for Enter"),
            .flag("--plain", "one line a second instead of a full screen"),
            .flag("--json", "print the diagnostic, and nothing else, on standard output"),
            .value(
                "--export", "FILE", needs: "a new file, as in --export wall.json",
                "write the diagnostic to a new file; only together with --consent-export"),
            .flag("--consent-export", "you agree that the diagnostic is written; only together with --export"),
            .flag("--shortened", "for demonstrations: 3 and 5 seconds, which never count as completed"),
        ],
        examples: [
            "nlos-bridge validate", "nlos-bridge validate --export wall.json --consent-export",
            "nlos-bridge validate --sensor sim:matte-wall --shortened",
        ])

    /// Long enough to see both phases, short enough to watch.
    private static let demonstration = PhasePlan.shortened(calibrationSeconds: 3, wallScanSeconds: 5) ?? .standard

    static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
        let export = try DiagnosticExport(arguments)
        let session = ValidationSession(
            choice: try SensorChoice(arguments), plan: arguments.has("--shortened") ? demonstration : .standard,
            isPlain: arguments.has("--plain"), isJSON: arguments.has("--json"), startsAtOnce: arguments.has("--yes"), export: export,
            clocks: .system)
        do throws(SystemFailure) {
            try export?.foresee()
        } catch {
            say(.cannotExport(export?.file ?? "", error))
            return .failed
        }
        return try session.run()
    }
}
