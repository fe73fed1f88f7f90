import CLinux
import Glibc
import NLOSCore

/// Where the diagnostic goes when the tester wants to keep it, and has said so twice.
struct DiagnosticExport {
    let file: String

    /// Nil when neither option is given; both or neither.
    init?(_ arguments: ParsedArguments) throws(UsageError) {
        let file = arguments.string("--export")
        switch (file, arguments.has("--consent-export")) {
        case (nil, false): return nil
        case (nil, true): throw UsageError("'--consent-export' needs '--export FILE': where the diagnostic is to be written")
        case (_?, false):
            throw UsageError("'--export' needs '--consent-export': the diagnostic is written only with your consent to its export")
        case ("-", true): throw UsageError("'--export' takes the name of a new file; '--json' prints the diagnostic")
        case (let file?, true): self.file = file
        }
    }

    init(file: String) { self.file = file }

    /// What would keep the file from being written, as far as it can be known beforehand: nobody should run 45 seconds in vain.
    func foresee() throws(SystemFailure) {
        var facts = stat()
        guard lstat(file, &facts) != 0 else { throw SystemFailure(operation: "create", errno: EEXIST) }
        guard errno == ENOENT, faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 else {
            throw SystemFailure(operation: "create", errno: errno)
        }
    }

    /// Writes the bytes and a line feed, readable by their owner only: all of them or none, and never over anything.
    func write(_ bytes: [UInt8]) throws(SystemFailure) {
        // Beside the file, so that it can be given its name in one step.
        let draft = "\(folder)/.nlos-bridge-\(RunIdentifier().text)"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { throw SystemFailure(operation: "create", errno: errno) }
        do throws(SystemFailure) {
            defer { close(descriptor) }
            try Self.writeAll(bytes + [UInt8(ascii: "\n")], to: descriptor)
            guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else { throw SystemFailure(operation: "write", errno: errno) }
        } catch {
            unlink(draft)
            throw error
        }
        // Refused where the name is taken, by a file or by a link to nowhere.
        guard renameat2(AT_FDCWD, draft, AT_FDCWD, file, NLOS_RENAME_NOREPLACE) != 0 else { return syncFolder() }
        // Some network file systems cannot rename so; they can link, which is refused likewise.
        let linked = (errno == EINVAL || errno == ENOSYS) && link(draft, file) == 0
        let reason = errno
        unlink(draft)
        guard linked else { throw SystemFailure(operation: "create", errno: reason) }
        syncFolder()
    }

    /// The name is on the disk too.
    private func syncFolder() {
        let place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard place >= 0 else { return }
        fsync(place)
        close(place)
    }

    private var folder: String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(SystemFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw SystemFailure(operation: "write", errno: errno)
            }
        }
    }
}
