import CLinux
import Glibc
import NLOSCore

/// Writes whole lines to a file or a pipe without ever blocking the thread that reads the sensor.
///
/// What the other end does not take yet waits in a bounded backlog. A line that does not fit is refused whole, and the caller
/// counts it. A regular file that cannot take a line (full disk) is cut back to the end of its last whole line.
final class LineSink {
    enum State: Equatable {
        case open
        /// The reader has gone.
        case closed
        case failed(SystemFailure)
    }

    let name: String
    let descriptor: CInt
    private let owned: Bool
    private let isFile: Bool
    private let limit: Int
    private var backlog: [UInt8] = []
    /// Everything before this position in `backlog` is written.
    private var head = 0
    /// Ends of the lines in `backlog` that are not written in full yet, in order, from `nextEnd` on.
    private var lineEnds: [Int] = []
    private var nextEnd = 0
    /// Everything before this position is written, in whole lines, and in the digest.
    private var settled = 0
    private let digest = SHA256()
    /// An old file's bytes are still there.
    private var mustEmpty = false
    private var isNew = false
    private(set) var state = State.open
    /// Lines written in full.
    private(set) var linesWritten: UInt64 = 0

    /// The program's standard output.
    static func standardOutput(limit: Int = 4 << 20) -> LineSink {
        // A description of our own may be non-blocking without a surprise for the programs that share the old one. A regular
        // file never blocks, and its position must stay the shared one.
        var status = stat()
        let isFile = fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        // One that was closed before the start is held open for reading only, and must fail when it is written to.
        let writable = fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE != O_RDONLY
        let own = isFile || !writable ? -1 : Glibc.open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return LineSink(
            name: "standard output", descriptor: own >= 0 ? own : STDOUT_FILENO, owned: own >= 0, isFile: isFile, limit: limit)
    }

    /// A new file; with `replacing`, an old one is emptied when the first line comes or the sink finishes, unless another program
    /// of this kind is writing it.
    static func file(_ path: String, replacing: Bool, limit: Int = 4 << 20) throws(SystemFailure) -> LineSink {
        let mode = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        var descriptor = Glibc.open(path, mode | O_CREAT | O_EXCL, 0o644)
        let isNew = descriptor >= 0
        if !isNew, errno == EEXIST, replacing || !isRegular(path) { descriptor = Glibc.open(path, mode) }
        guard descriptor >= 0 else { throw SystemFailure(operation: "create", errno: errno) }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        let sink = LineSink(name: path, descriptor: descriptor, owned: true, isFile: isFile, limit: limit)
        guard !isFile || flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemFailure(operation: "lock", errno: errno) }
        sink.mustEmpty = isFile && !isNew
        sink.isNew = isNew
        return sink
    }

    /// There is nothing to lose in a device or a pipe.
    private static func isRegular(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG
    }

    private init(name: String, descriptor: CInt, owned: Bool, isFile: Bool, limit: Int) {
        self.name = name
        self.descriptor = descriptor
        self.owned = owned
        self.isFile = isFile
        self.limit = limit
    }

    deinit { if owned { close(descriptor) } }

    var hasBacklog: Bool { head < backlog.count }
    /// Whether a source that can wait should.
    var wantsPause: Bool { backlog.count - head > limit / 2 }

    /// Takes a line without its line feed; false when there is no room for it.
    func append(_ line: [UInt8]) -> Bool {
        guard state == .open else { return false }
        guard backlog.count - head + line.count < limit || !hasBacklog else { return false }
        if !hasBacklog { startAfresh() }
        backlog.append(contentsOf: line)
        backlog.append(UInt8(ascii: "\n"))
        lineEnds.append(backlog.count)
        flush()
        return true
    }

    /// Writes what the other end takes now.
    func flush() {
        if hasBacklog { emptyOldFile() }
        while hasBacklog, state == .open {
            // A blocking pipe that polls writable takes this many bytes at once.
            let most = owned || isFile ? backlog.count - head : min(backlog.count - head, 4096)
            if !owned, !isFile, !writableNow() { return }
            let written = backlog.withUnsafeBytes { write(descriptor, $0.baseAddress! + head, most) }
            guard written > 0 else {
                switch errno {
                case EINTR: continue
                case EAGAIN: compact()
                case EPIPE, EBADF: state = .closed
                default: fail(SystemFailure(operation: "write", errno: errno))
                }
                return
            }
            head += written
            settle()
        }
    }

    /// The reader went away while nothing waited to be written.
    func noticeBrokenPipe() { state = .closed }

    /// The digest of the whole lines that were written. Ends the use of this sink.
    func finish() -> String {
        emptyOldFile()
        return digest.finish()
    }

    /// Nothing will be written: a file that was made for it goes away again, and an old one stays as it was.
    func discard() { if isNew { unlink(name) } }

    private func emptyOldFile() {
        guard mustEmpty, state == .open else { return }
        mustEmpty = false
        if ftruncate(descriptor, 0) != 0 { fail(SystemFailure(operation: "empty", errno: errno)) }
    }

    private func writableNow() -> Bool {
        var asked = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&asked, 1, 0) > 0
    }

    private func settle() {
        while nextEnd < lineEnds.count, lineEnds[nextEnd] <= head {
            let end = lineEnds[nextEnd]
            backlog.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[settled..<end])) }
            settled = end
            nextEnd += 1
            linesWritten += 1
        }
    }

    private func startAfresh() {
        backlog.removeAll(keepingCapacity: true)
        lineEnds.removeAll(keepingCapacity: true)
        (head, settled, nextEnd) = (0, 0, 0)
    }

    /// Forgets what is settled once it is the larger half, so that the memory stays bounded by the limit.
    private func compact() {
        guard settled > limit / 2 else { return }
        backlog.removeSubrange(..<settled)
        lineEnds = lineEnds[nextEnd...].map { $0 - settled }
        head -= settled
        (settled, nextEnd) = (0, 0)
    }

    private func fail(_ failure: SystemFailure) {
        state = .failed(failure)
        guard isFile else { return }
        let position = lseek(descriptor, 0, SEEK_CUR)
        if position >= 0 { _ = ftruncate(descriptor, position - off_t(head - settled)) }
    }
}
