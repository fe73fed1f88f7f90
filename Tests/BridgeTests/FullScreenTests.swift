import CLinux
import Foundation
import Testing

@testable import bridge

/// A real pseudo-terminal, and the screen on its far end.
@Suite(.serialized) struct FullScreenTests {
    private final class Window {
        let near: CInt
        let far: CInt

        init(columns: UInt16, rows: UInt16) throws {
            var (near, far): (CInt, CInt) = (-1, -1)
            var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            try #require(openpty(&near, &far, nil, nil, &size) == 0)
            (self.near, self.far) = (near, far)
            _ = fcntl(near, F_SETFL, O_NONBLOCK)
            setenv("TERM", "xterm-256color", 1)
        }

        deinit {
            close(near)
            close(far)
        }

        func resize(columns: UInt16, rows: UInt16) {
            var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(near, UInt(TIOCSWINSZ), &size)
        }

        func read() -> String {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            var text: [UInt8] = []
            while case let count = Glibc.read(near, &bytes, bytes.count), count > 0 { text += bytes[..<count] }
            return String(decoding: text, as: UTF8.self)
        }

        var settings: termios {
            var settings = termios()
            tcgetattr(far, &settings)
            return settings
        }
    }

    private func picture(_ screen: FullScreen, _ lines: String...) -> Picture {
        var picture = Picture(size: screen.size)
        for line in lines { picture.add(line) }
        return picture
    }

    @Test func theTerminalIsAsItWasBefore() throws {
        let window = try Window(columns: 80, rows: 24)
        let before = window.settings
        let screen = try #require(FullScreen(on: bridge.Terminal(descriptor: window.far)))
        #expect(window.settings.c_lflag & tcflag_t(ECHO | ICANON) == 0)
        #expect(window.settings.c_lflag & tcflag_t(ISIG) != 0)
        screen.show(picture(screen, "hello"))
        screen.close()
        screen.close()
        #expect(window.settings.c_lflag == before.c_lflag)
        let shown = window.read()
        #expect(shown.hasPrefix("\u{1b}[?1049h\u{1b}[?25l"))
        #expect(shown.hasSuffix(ScreenRestoration.leave))
        #expect(shown.components(separatedBy: ScreenRestoration.leave).count == 2)
    }

    @Test func onlyRowsThatDifferAreSent() throws {
        let window = try Window(columns: 80, rows: 24)
        let screen = try #require(FullScreen(on: bridge.Terminal(descriptor: window.far)))
        screen.show(picture(screen, "stays", "old"))
        _ = window.read()
        screen.show(picture(screen, "stays", "new"))
        #expect(window.read() == "\u{1b}[2;1Hnew\u{1b}[K")
        screen.show(picture(screen, "stays"))
        #expect(window.read() == "\u{1b}[2;1H\u{1b}[K")
        screen.show(picture(screen, "stays"))
        #expect(window.read().isEmpty)
    }

    @Test func aNewSizeDrawsEverythingAgain() throws {
        let window = try Window(columns: 80, rows: 24)
        let screen = try #require(FullScreen(on: bridge.Terminal(descriptor: window.far)))
        screen.show(picture(screen, "stays"))
        _ = window.read()
        window.resize(columns: 60, rows: 24)
        screen.resized()
        #expect(screen.size == Picture.Size(columns: 60, rows: 24))
        screen.show(picture(screen, "stays"))
        #expect(window.read() == "\u{1b}[2J\u{1b}[1;1Hstays\u{1b}[K")
    }

    /// A terminal that does not read gets whole pictures when it reads again: what it had begun, and the newest.
    @Test func aTerminalThatDoesNotReadHoldsNobodyUp() throws {
        let window = try Window(columns: 200, rows: 50)
        let screen = try #require(FullScreen(on: bridge.Terminal(descriptor: window.far)))
        for number in 1...500 {
            var picture = Picture(size: screen.size)
            for row in 0..<50 { picture.add("\(number) \(row) \(String(repeating: "x", count: 150))") }
            screen.show(picture)
        }
        #expect(screen.hasBacklog)
        var shown = ""
        while screen.hasBacklog {
            shown += window.read()
            screen.flush()
        }
        shown += window.read()
        #expect(shown.contains("500 49 x"))
        #expect(!shown.contains("400 49 x"))
    }

    @Test(arguments: [(0, 0), (1, 1), (39, 24), (80, 11)] as [(UInt16, UInt16)]) func aTinyWindowGetsNoScreen(columns: UInt16, rows: UInt16)
        throws
    {
        let window = try Window(columns: columns, rows: rows)
        #expect(FullScreen(on: bridge.Terminal(descriptor: window.far)) == nil)
        #expect(window.read().isEmpty)
    }

    @Test func keysComeOneByOne() throws {
        let window = try Window(columns: 80, rows: 24)
        let screen = try #require(FullScreen(on: bridge.Terminal(descriptor: window.far)))
        #expect(screen.key() == nil)
        write(window.near, "qx", 2)
        #expect(screen.key() == UInt8(ascii: "q"))
        #expect(screen.key() == UInt8(ascii: "x"))
        #expect(screen.key() == nil)
    }
}
