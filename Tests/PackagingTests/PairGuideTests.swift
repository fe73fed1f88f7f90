import Foundation
import Testing

/// The systemd unit on the page about pairing can be used as it stands.
struct PairGuideTests {
    let text: String

    init() throws {
        text = try String(contentsOf: packageRoot.appending(path: "hardware/ruview-server.md"), encoding: .utf8)
    }

    @Test(.enabled(if: Command.exists("systemd-analyze"), "needs systemd-analyze"))
    func systemdTakesTheUnit() throws {
        let start = try #require(text.range(of: "# /etc/systemd/system/nlos-monitor.service\n"))
        let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
        // The program is installed where the guide says, not where the tests run.
        let unit = String(text[start.upperBound..<end.lowerBound]).replacing("/usr/local/bin/nlos-bridge", with: "/usr/bin/true")
        #expect(unit.contains("\nLoadCredential=nlos-bridge.ruview.example+443:"))
        let folder = try TemporaryFolder()
        let file = try folder.write(unit, to: "nlos-monitor.service")
        let verdict = try Command("systemd-analyze", ["verify", file.path()])
        #expect(verdict.status == 0)
        #expect(verdict.output == "")
        // And it would say of a name that it does not take: a colon in it ends it.
        let wrong = try folder.write(unit.replacing("example+443:", with: "example:443:"), to: "wrong.service")
        #expect(try Command("systemd-analyze", ["verify", wrong.path()]).output.contains("not valid"))
    }
}
