import Foundation
import NLOSCore
import Testing

@Suite struct LocaleTests {
    private static let definition = "/usr/share/i18n/locales/de_DE"

    /// In a process of its own, where the C library writes and expects a comma: the same bytes out, the same numbers in.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: definition), "needs the locale definitions (Debian package locales)"))
    func numbersDoNotFollowTheLocale() async {
        await #expect(processExitsWith: .success) {
            let folder = NSTemporaryDirectory() + "nlos-locale-\(getpid())"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let maker = try Process.run(
                URL(filePath: "/usr/bin/localedef"), arguments: ["-i", "de_DE", "-f", "UTF-8", "\(folder)/de_DE.UTF-8"])
            maker.waitUntilExit()
            setenv("LOCPATH", folder, 1)
            try #require(setlocale(LC_ALL, "de_DE.UTF-8") != nil)
            try #require(strtod("1.5", nil) == 1, "the locale is not in force")

            // Each number goes one of the slow ways that could ask the C library.
            let message = TransientMessages.live.replacingFirst("-1.25", with: "-1.24999999999999999999999999").replacingFirst(
                "0.25", with: "1.2345678e-33")
            let frame = try TransientFrame.decode(Array(message.utf8))
            #expect(frame.pose.translationM.z == -1.25)
            #expect(frame.zones.wallPointsM[0].y == 1.2345678e-33)
            var json = JSONWriter()
            frame.encode(into: &json)
            json.value(0.1 + 0.2)
            let text = String(decoding: json.bytes, as: UTF8.self)
            #expect(text == TransientMessages.live.replacingFirst("0.25", with: "1.2345678e-33") + ",0.30000000000000004")
        }
    }
}
