/// An operating system as a diagnostic may name it: distribution and kernel by number, and nothing that somebody chose for this machine.
///
/// A pretty name or a kernel's suffix may hold a host's or an owner's name, so neither is taken.
public struct SystemDescription: Hashable, Sendable, CustomStringConvertible {
    /// At most 40 characters.
    public let text: String

    /// - Parameters:
    ///   - name: `ID` of os-release, as in `debian`.
    ///   - version: `VERSION_ID` of os-release, as in `12` or `24.04`.
    ///   - kernelRelease: as `uname` tells it; its leading numbers count.
    public init(name: String?, version: String?, kernelRelease: String) {
        let letters = String(
            decoding: (name ?? "linux").utf8.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }, as: UTF8.self)
        let distribution = [letters.isEmpty ? "linux" : String(letters.prefix(12)), Self.numbers(version ?? "", most: 2)]
        let kernel = Self.numbers(kernelRelease, most: 3)
        let parts = [distribution.filter { !$0.isEmpty }.joined(separator: " ")] + (kernel.isEmpty ? [] : ["kernel \(kernel)"])
        text = parts.joined(separator: ", ")
    }

    public var description: String { text }

    /// The numbers that the text begins with, at most so many of at most three digits, with points between them.
    private static func numbers(_ text: String, most: Int) -> String {
        var kept: [Substring.UTF8View] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).prefix(most) {
            let digits = part.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...3).contains(digits.count) else { break }
            kept.append(Substring(digits).utf8)
            guard digits.count == part.count else { break }
        }
        return kept.map { String(Substring($0)) }.joined(separator: ".")
    }
}
