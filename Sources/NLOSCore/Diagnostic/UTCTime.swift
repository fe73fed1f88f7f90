/// A moment as RFC 3339 writes it in UTC, to the second: `2026-11-30T07:00:00Z`. From the year 10000 on it is the last second before.
public func utcTime(unixMs: UInt64) -> String {
    let seconds = min(unixMs / 1_000, 253_402_300_799)
    let (year, month, day) = date(daysSince1970: Int(seconds / 86_400))
    let time = Int(seconds % 86_400)
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T"
        + "\(digits(time / 3_600, 2)):\(digits(time / 60 % 60, 2)):\(digits(time % 60, 2))Z"
}

/// The Gregorian calendar in years that begin in March, so that a leap day is a year's last one.
private func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    let days = daysSince1970 + 719_468  // since 1 March of the year 0
    let era = days / 146_097  // 400 years
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
}

private func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
}
