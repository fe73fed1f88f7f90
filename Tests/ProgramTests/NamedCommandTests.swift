import Foundation
import Testing

/// What the program tells people to run, it has.
struct NamedCommandTests {
    @Test("Every command that a sentence of the program names is one of its commands")
    func commands() throws {
        let known = Set(try run(["--help"]).output.matches(of: #/(?m)^ {2}([a-z]+) /#).map { String($0.output.1) })
        #expect(known.isSuperset(of: ["probe", "validate", "capture"]))
        let sources = packageRoot.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path()))
        var mentions = 0
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                // "another nlos-bridge is ..." speaks of a process.
                for mention in line.matches(of: /(another )?nlos-bridge ([a-z][a-z-]*)/) where mention.output.1 == nil {
                    mentions += 1
                    #expect(known.contains(String(mention.output.2)), "\(file): \(line)")
                }
            }
        }
        #expect(mentions > 20)
    }
}
