import DepthValidation
import NLOSCore
import Testing

@testable import bridge

/// A moment of a run as one line.
struct ValidationLineTests {
    private func text(_ state: LiveState, _ subject: ValidationSubject = .test(), width: Int = .max) -> String {
        ValidationLine.text(of: state, subject, width: width)
    }

    @Test func aWholeLine() {
        #expect(
            text(.test())
                == "calibration 10 s left, 30.0 frames a second, coverage 100 %, wall 1.20 m, tilt 2.4 degrees, noise 1.5 mm, "
                + "movement 0.00 m/s, normal, thermal nominal")
        #expect(
            text(.tooFast, .test(.synthetic, shortened: true))
                == "SYNTHETIC SHORTENED wall scan 22 s left, too fast: 0.41 m/s, 14.9 frames a second, coverage 86 %, wall 1.20 m, "
                + "tilt 2.4 degrees, movement 0.41 m/s, limited_excessive_motion, thermal nominal")
        #expect(text(.waiting, .test(.replay)) == "REPLAY waiting for the first frame")
    }

    @Test("Never wider than the terminal, and the watermark goes last", arguments: [1, 20, 40, 60, 80, 120])
    func widths(width: Int) {
        for state in ValidationPictureTests.states {
            for origin in FrameSource.allCases {
                let line = text(state, .test(origin), width: width)
                #expect(line.utf8.count <= width && !line.isEmpty)
                if let watermark = origin.watermark { #expect(line.hasPrefix(watermark.prefix(width))) }
            }
        }
    }
}
