/// Frames as the firmware prints them, made by the test itself.
enum FirmwareText {
    /// `D` and a row for each zone: number, ambient, distance, bins. `seed` makes frames differ.
    static func frame(zones: Int = 64, bins: Int = 18, seed: Int = 0) -> String {
        var text = "D\n"
        for zone in 0..<zones {
            text += "\(zone) \(100 + seed % 100) \(1_000 + zone)"
            for bin in 0..<bins { text += " \((zone * 7 + bin * 31 + seed * 13) % 1_000)" }
            text += "\n"
        }
        return text
    }

    static func frames(_ count: Int, zones: Int = 64, bins: Int = 18, from seed: Int = 0) -> String {
        (0..<count).map { frame(zones: zones, bins: bins, seed: seed + $0) }.joined()
    }
}
