import Glibc
import NLOSCore

/// What this machine says of itself, read from its own files.
struct HostFacts {
    /// Where `etc` and `sys` lie; a test has its own.
    var root = ""

    /// Distribution and kernel, by number.
    var system: SystemDescription {
        let release = (try? wholeFile("\(root)/etc/os-release", longest: 1 << 16)) ?? []
        var names = utsname()
        let kernel =
            uname(&names) == 0 ? withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } : ""
        return SystemDescription(
            name: Self.value(of: "ID", in: release), version: Self.value(of: "VERSION_ID", in: release), kernelRelease: kernel)
    }

    /// How hot the hottest of the host's thermal zones is; unknown where there is none that can be read.
    var thermal: ThermalState {
        let folder = "\(root)/sys/class/thermal"
        guard let listing = opendir(folder) else { return .unknown }
        defer { closedir(listing) }
        var hottest: Int?
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard name.hasPrefix("thermal_zone"), let bytes = try? wholeFile("\(folder)/\(name)/temp", longest: 32),
                let milli = Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
            else { continue }
            hottest = max(hottest ?? milli, milli)
        }
        return hottest.map(Self.state) ?? .unknown
    }

    /// Thousandths of a degree Celsius in four coarse steps. Boards and processors begin to slow down between 80 and 100 degrees, and a
    /// sensor's die leaves its operating range there.
    static func state(milliCelsius: Int) -> ThermalState {
        switch milliCelsius {
        case ..<65_000: .nominal
        case ..<80_000: .fair
        case ..<95_000: .serious
        default: .critical
        }
    }

    /// The value of `NAME=value` in an os-release file, without its quotes.
    private static func value(of name: String, in file: [UInt8]) -> String? {
        let prefix = Array("\(name)=".utf8)
        let line = file.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: prefix) }
        return line.map { String(decoding: $0.dropFirst(prefix.count).filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self) }
    }
}
