// rig-board MODEL PORT SERIAL COMMANDS COPY SEED [scene=NAME] [FAULT...]
//
// A board on port PORT (0...7) of the kernel's virtual host controller. It obeys lines that come through the FIFO COMMANDS, keeps
// every byte that a host has taken in the file COPY, and tells on standard output what the host did. Ends when the firmware ends,
// when the host lets go, at the line `unplug` or at SIGTERM.
//
// rig-board --reset NODE
//
// Resets the device of a usbfs node.
//
// rig-board --interruptible PROGRAM ARGUMENT...
//
// Becomes PROGRAM, which SIGINT ends.
//
// rig-board --same-numbers SENT JSONL
// rig-board --ledger SENT JSONL REFUSED FIRMWARE-LOST GAPS
//
// Compare what a board sent with what came of it.
import BoardModels
import Glibc

let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == "--reset" { exit(Tools.reset(arguments[2])) }
if arguments.count >= 2, arguments[1] == "--same-numbers" { exit(Tools.sameNumbers(Array(arguments[2...]))) }
if arguments.count >= 2, arguments[1] == "--ledger" { exit(Tools.ledger(Array(arguments[2...]))) }
if arguments.count >= 3, arguments[1] == "--interruptible" { exit(Tools.becomeInterruptible(Array(arguments[2...]))) }
let models: [String: BoardModel] = [
    "v2-1": .stlinkV21, "v2-1-no-storage": .stlinkV21NoStorage, "v3e": .stlinkV3E, "v3set": .stlinkV3Set, "two-ports": .stlinkV3TwoPorts,
]
guard arguments.count >= 7, let model = models[arguments[1]], let port = Int(arguments[2]), let seed = UInt64(arguments[6]) else {
    print("usage: rig-board \(models.keys.sorted().joined(separator: "|")) PORT SERIAL COMMANDS COPY SEED [scene=NAME] [FAULT...]")
    exit(2)
}
var run = try BoardRun(model, port: port, serial: arguments[3], seed: seed, faults: Array(arguments[7...]))
exit(run.run(commands: arguments[4], copy: arguments[5]))
