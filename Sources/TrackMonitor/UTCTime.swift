import Glibc

/// Times for people, in UTC and without a locale: `2026-11-30 06:00:00 UTC`.
enum UTCTime {
    static func text(unixMs: UInt64) -> String {
        var seconds = time_t(unixMs / 1000)
        var fields = tm()
        guard gmtime_r(&seconds, &fields) != nil else { return "an impossible time" }
        return text(fields)
    }

    static func text(_ fields: tm) -> String {
        let date = "\(Int(fields.tm_year) + 1900)-\(two(fields.tm_mon + 1))-\(two(fields.tm_mday))"
        return "\(date) \(two(fields.tm_hour)):\(two(fields.tm_min)):\(two(fields.tm_sec)) UTC"
    }

    private static func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : String(number) }
}
