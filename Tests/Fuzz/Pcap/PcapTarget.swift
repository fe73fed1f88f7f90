import Glibc
import NLOSCore
import TransientSensor

/// A file without a name that every input is written to: the reader takes files only.
private let input: CInt = {
    var name = Array("/dev/shm/fuzz-pcap-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    unlink(name)
    return descriptor
}()

/// Time stands still: at the recorded pace, what is not due never comes.
private let clocks = Clocks(monotonicNs: { 0 }, bootNs: { 0 }, unixMs: { 0 })

/// Plays whatever the bytes are as a recording, at both paces, to its end or to its first refusal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard ftruncate(input, 0) == 0, pwrite(input, start, count, 0) == count else { return -1 }
    for pace in [ReplayPace.fast, .recorded] {
        lseek(input, 0, SEEK_SET)
        do throws(SensorError) {
            let replay = try PcapReplay(file: "/proc/self/fd/\(input)", pace: pace, clocks: clocks) { $0.vendorId == 0x0483 }
            var sum: UInt64 = 0
            while try replay.drain({ bytes, arrival in
                for byte in bytes { sum &+= UInt64(byte) }  // touches every byte, so that a sanitizer sees one too many
                sum &+= arrival.monotonicNs
            }) == .more {
                sum &+= UInt64(replay.takeSent()?.count ?? 0)
            }
            _ = "\(sum) \(replay.path) \(replay.origin) \(replay.bytesLost) \(replay.isTorn)"
        } catch {
            _ = String(describing: error)
        }
    }
    return 0
}
