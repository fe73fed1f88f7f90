import NLOSCore
import Testing

@testable import TransientSensor

struct FaultSwitchTests {
    @Test func everySwitchCanBeTurnedOnAndChangesSomething() throws {
        #expect(Set(FaultSwitch.all.map(\.name)).count == FaultSwitch.all.count)
        for fault in FaultSwitch.all {
            let text = fault.fallback == nil ? "\(fault.name)=7" : fault.name
            #expect(try FaultSwitches([text]) != FaultSwitches(), "\(text)")
            #expect(!fault.meaning.isEmpty)
        }
    }

    @Test func valuesAreTaken() throws {
        let faults = try FaultSwitches(["byte-loss=0.25", "piece=3-9", "delay=1.5", "misaligned=25", "refuse=255", "unplug-after=0"])
        #expect(faults.line.byteLoss == 0.25)
        #expect(faults.line.pieceBytes == 3...9)
        #expect(faults.firmware.firstByteDelayNs == 1_500_000_000)
        #expect(faults.firmware.strayBytes == 25)
        #expect(faults.firmware.refusalStatus == 255)
        #expect(faults.line.unplugAfter == 0)
    }

    @Test func anUnknownNameGetsTheListOfNames() {
        let error = #expect(throws: FaultSyntaxError.self) { try FaultSwitches(["byte-lost"]) }
        #expect(error == .unknown(name: "byte-lost"))
        let next = error?.message.next ?? ""
        for fault in FaultSwitch.all { #expect(next.contains(fault.name)) }
    }

    @Test(arguments: ["unplug-after", "silence-after", "reset-after", "piece", "delay"])
    func aMissingValueIsNamed(text: String) {
        let error = #expect(throws: FaultSyntaxError.self) { try FaultSwitches([text]) }
        #expect(error?.message.text.contains("needs a value") == true)
        #expect(error?.message.next?.hasPrefix("--fault \(text)=") == true)
    }

    @Test(arguments: [
        "byte-loss=1.1", "byte-loss=-0.1", "byte-loss=nan", "byte-loss=", "byte-loss=x", "piece=0", "piece=9-3", "piece=1-2-3", "piece=",
        "piece=65537", "unplug-after=-1", "unplug-after=18446744073709551616", "silence-after=0", "reset-after=0", "misaligned=0",
        "misaligned=26", "refuse=0", "refuse=256", "extract-error=0", "overflow-bin=0", "histogram-step=0", "delay=-1", "delay=1e9",
        "not-detected=1", "wrong-sensor=yes", "wrong-rate=9600",
    ])
    func aValueThatCannotBeIsRefused(text: String) {
        let error = #expect(throws: FaultSyntaxError.self) { try FaultSwitches([text]) }
        guard case .badValue(let fault, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.message.next == "--fault \(fault.form)")
    }

    @Test func textFromOutsideIsMadeSafe() {
        let error = #expect(throws: FaultSyntaxError.self) { try FaultSwitches(["\u{1b}[2J"]) }
        #expect(error?.message.text.contains("\u{1b}") == false)
    }
}
