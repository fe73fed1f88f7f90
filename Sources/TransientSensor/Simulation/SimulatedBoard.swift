/// An emulated firmware and the line it speaks over: what a simulated sensor, a pseudo-terminal and an emulated USB device put
/// in the place of hardware.
public struct SimulatedBoard: Sendable {
    public var firmware: any EmulatedFirmware
    private var line: FaultyLine

    public init(
        _ profile: SensorProfile = .nucleoVL53L8CH, scene: SimulatedScene, faults: FaultSwitches = FaultSwitches(),
        options: EmulationOptions = EmulationOptions(), seed: UInt64, startNs: UInt64, joining: Joining
    ) {
        var options = options
        options.faults = faults.firmware
        firmware = profile.makeEmulator(EmulatorPlan(scene: scene, options: options, seed: seed, startNs: startNs, joining: joining))
        line = FaultyLine(faults.line, seed: seed ^ 0x6c69_6e65)
    }

    /// The device is gone: the last byte has been handed over and none will come.
    public var isUnplugged: Bool { line.isUnplugged }

    /// When `advance` has something to do next; nil when nothing will happen by itself.
    public var nextEventNs: UInt64? { isUnplugged ? nil : firmware.nextEventNs }

    /// Bytes from the host.
    public mutating func receive(_ bytes: some Collection<UInt8>, atNs: UInt64) { firmware.receive(bytes, atNs: atNs) }

    /// Lets time pass up to and including `toNs` and hands out what reaches the host meanwhile.
    public mutating func advance(toNs: UInt64, _ emit: (UnsafeRawBufferPointer) -> Void) {
        firmware.advance(toNs: toNs) { line.pass($0, emit) }
    }
}
