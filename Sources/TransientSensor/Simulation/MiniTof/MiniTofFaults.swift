/// How an emulated mini_tof board behaves where firmwares are known or told to differ, and what goes wrong with it.
public struct MiniTofFaults: Equatable, Sendable {
    /// The record behind a frame's last zone.
    public enum Metadata: String, CaseIterable, Sendable {
        /// As both public firmwares.
        case none
        case distances
        case full
        /// Full, and the window of bins moves every third reading, three windows of 16 bins.
        case cycle
    }

    /// As the older reader expects: no ambient level in a zone's record.
    public var withoutAmbient = false
    public var metadata = Metadata.none
    /// 12 as the Arduino firmware, 16 as the Mbed one; a cycle has 16.
    public var bins = 12
    /// The firmware's own fault is mended: values are not halved, and small ones keep their sign.
    public var trueValues = false
    /// In each n-th frame two values meet in such a way that `FF FF FF FF` stands across them.
    public var straddlingMarkEvery: UInt64?

    public init() {}
}
