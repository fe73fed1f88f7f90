import DepthValidation
import NLOSCore
import Testing

@testable import bridge

/// The screen of a run as text.
struct ValidationPictureTests {
    private func text(_ state: LiveState, _ subject: ValidationSubject, columns: Int, rows: Int = 24, message: String? = nil) -> String {
        ValidationPicture.of(
            state, subject, message.map { Message(text: $0) }, Picture.Size(columns: columns, rows: rows)
        ).text
    }

    @Test func calibrationAt60Columns() {
        #expect(
            text(.test(), .test(), columns: 60) == """
                Direct-depth validation
                usb:1-4.2  4x4 zones, 8 bins, 30 Hz

                1 of 2: hold still, facing a matte wall at 0.5 to 4 m
                [##################-----------------------------]  10 s left
                ok

                frames a second  30.0          at least 27.0 of 30.0
                coverage         100 %         at least 75 % of the zones
                wall             1.20 m        0.5 to 4 m, tilt 2.4 degrees
                stability        1.5 mm        noise at most 24 mm
                movement         0.00 m/s      sideways cannot be seen
                tracking         normal        thermal nominal

                  1.15   1.16   1.17    --
                  1.20   1.21   1.22   1.23
                  1.25   1.26    --    1.28
                  1.29   1.31   1.32   1.33
                zones, metres; -- sees nothing; warm colours are near




                direct_depth only, never NLOS evidence. Ctrl-C ends the run.
                """)
    }

    @Test func aWarningWithSixtyFourZonesAt80Columns() {
        #expect(
            text(.tooFast, .test(.synthetic, shortened: true), columns: 80, message: "the board has started") == """
                Direct-depth validation                                   SYNTHETIC   SHORTENED
                sim:matte-wall  4x4 zones, 8 bins, 30 Hz

                2 of 2: keep the wall in view, move slowly, 5 to 15 cm/s
                [#################------------------------------------------]  22 s left
                ! too fast: 0.41 m/s

                frames a second  14.9          at least 27.0 of 30.0
                coverage         86 %          at least 75 % of the zones
                wall             1.20 m        0.5 to 4 m, tilt 2.4 degrees
                stability        -             noise at most 24 mm
                movement         0.41 m/s      sideways cannot be seen
                tracking         limited_excessive_motion
                  1.15   1.16   1.17    --    1.20   1.21   1.22   1.23
                  1.25   1.26    --    1.28   1.29   1.31   1.32   1.33
                  1.34    --    1.37   1.38   1.39   1.40   1.41   1.43
                   --    1.45   1.46   1.47   1.49   1.50   1.51    --
                  1.53   1.55   1.56   1.57   1.58   1.59    --    1.62
                  1.63   1.64   1.65   1.67   1.68    --    1.70   1.71
                  1.73   1.74   1.75   1.76    --    1.79   1.80   1.81
                  1.82   1.83   1.85    --    1.87   1.88   1.89   1.91
                zones, metres; -- sees nothing; warm colours are near
                the board has started
                direct_depth only, never NLOS evidence. Ctrl-C ends the run.
                """)
    }

    @Test func waitingForTheSensorAt120Columns() {
        #expect(
            text(.waiting, .test(.replay), columns: 120) == """
                Direct-depth validation                                                                                          REPLAY
                sim:matte-wall  4x4 zones, 8 bins, 30 Hz

                Starting the sensor: hold it still, facing a matte wall
                [-----------------------------------------------------------]  15 s left


                frames a second  -             at least 27.0 of 30.0
                coverage         -             at least 75 % of the zones
                wall             -             0.5 to 4 m
                stability        -
                movement         -             sideways cannot be seen
                tracking         unavailable










                direct_depth only, never NLOS evidence. Ctrl-C ends the run.
                """)
    }

    static let states: [LiveState] = [.test(), .tooFast, .noWall, .waiting, .over]
    static let sizes = [(40, 12), (60, 24), (80, 24), (80, 16), (120, 24), (300, 100)]

    @Test("No row is wider than the screen, there are not more of them, and all of it is ASCII", arguments: states, sizes)
    func fits(state: LiveState, size: (columns: Int, rows: Int)) {
        for origin in FrameSource.allCases {
            let size = Picture.Size(columns: size.columns, rows: size.rows)
            let picture = ValidationPicture.of(state, .test(origin, shortened: true), Message(text: "caf\u{e9}\u{1b}[2J"), size)
            #expect(picture.rows.count <= size.rows)
            #expect(picture.rows.allSatisfy { $0.cells <= size.columns })
            #expect(state.advice.isWarning == picture.text.contains("! \(state.advice.text.prefix(20))"))
            #expect(!picture.text.contains("\u{1b}"))
        }
    }

    @Test("Every screen of what is not live says so, however narrow", arguments: states, sizes)
    func watermarks(state: LiveState, size: (columns: Int, rows: Int)) {
        for origin in FrameSource.allCases {
            for shortened in [false, true] {
                let text = text(state, .test(origin, shortened: shortened), columns: size.columns, rows: size.rows)
                for watermark in ["SYNTHETIC", "REPLAY"] { #expect(text.contains(watermark) == (origin.watermark == watermark)) }
                #expect(text.contains("SHORTENED") == shortened)
            }
        }
    }

    @Test("Zones lie on colours from near to far, and the digits say it without them")
    func colours() {
        let rows = DepthMap.rows(.test(), width: 60)
        #expect(rows.count == 5)
        let styles = Set(rows.dropLast().flatMap { $0.spans.map(\.style) }.map { "\($0)" })
        #expect(styles.count >= 2)
        var bytes: [UInt8] = []
        rows[0].encode(into: &bytes, colour: false)
        #expect(String(decoding: bytes, as: UTF8.self) == "  1.15   1.16   1.17    --  ")
        #expect(DepthMap.rows(.test(grid: ZoneGrid(width: 16, height: 16)), width: 200).isEmpty)
        #expect(DepthMap.rows(.tooFast, width: 55).isEmpty)
    }
}
