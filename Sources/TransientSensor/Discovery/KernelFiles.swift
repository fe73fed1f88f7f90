import CLinux
import Glibc

/// Reading what the kernel shows as files: attributes in sysfs, nodes, and who holds them.
enum KernelFiles {
    /// The file's bytes, at most `limit` of them; nil when it cannot be read.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        // An attribute is made anew at each read; the loop is for those longer than a page.
        while bytes.count < limit {
            let room = min(4096, limit - bytes.count)
            let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, room))
            }
            guard !part.isEmpty else { break }
            bytes += part
        }
        return bytes
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// What the kernel says to this process about this node now. Rules and groups are causes; this is the fact.
    static func mayOpen(_ node: String) -> Bool { access(node, R_OK | W_OK) == 0 }

    /// Those of `nodes` that another process has open, as far as this process may look: its own user's, all of them for root.
    static func held(among nodes: Set<String>) -> Set<String> {
        guard !nodes.isEmpty else { return [] }
        let own = String(getpid())
        var held: Set<String> = []
        for process in names(in: "/proc") where process != own && process.utf8.allSatisfy(isDigit) {
            for descriptor in names(in: "/proc/\(process)/fd") where descriptor.utf8.allSatisfy(isDigit) {
                if let target = linkTarget("/proc/\(process)/fd/\(descriptor)"), nodes.contains(target) { held.insert(target) }
            }
        }
        return held
    }

    /// Whether a program of this name runs (the kernel keeps 15 bytes of it).
    static func runs(_ program: String) -> Bool {
        names(in: "/proc").contains { process in
            process.utf8.allSatisfy(isDigit) && read("/proc/\(process)/comm", limit: 64) == Array("\(program)\n".utf8)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    /// Whether any process holds a `flock` on this file.
    static func isLocked(_ file: stat) -> Bool {
        // As in `2: FLOCK  ADVISORY  WRITE 1640 00:1a:7 0 EOF`: device in hexadecimal, inode in decimal.
        let name =
            [gnu_dev_major(file.st_dev), gnu_dev_minor(file.st_dev)].map { hexDigits($0, 2) }.joined(separator: ":") + ":\(file.st_ino)"
        let locks = read("/proc/locks", limit: 1 << 20) ?? []
        return locks.split(separator: UInt8(ascii: "\n")).contains { line in
            let fields = line.split(separator: UInt8(ascii: " "))
            return fields.count > 5 && fields[1].elementsEqual("FLOCK".utf8) && fields[5].elementsEqual(name.utf8)
        }
    }

    /// Where a symbolic link leads, as it is written; nil where there is none.
    static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            let length = readlink(path, buffer.baseAddress!, buffer.count)
            guard length > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: buffer.baseAddress, count: length), as: UTF8.self)
        }
    }
}
