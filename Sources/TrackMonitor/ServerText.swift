import NLOSCore

/// Bytes of a server, escaped for a terminal and cut after so many of them, with dots where something is missing.
func shortened(_ bytes: some Collection<UInt8>, to count: Int) -> String {
    bytes.count > count ? escaped(bytes.prefix(count)) + "..." : escaped(bytes)
}
