import Glibc

/// A page of memory for a secret: not swapped, not in a core, empty in a child, and wiped before it is given back.
///
/// `@unchecked`: only its maker writes to it, before anybody else has it.
struct SecretPage: ~Copyable, @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    /// False where the kernel would not lock it (`ulimit -l`): then the page may reach swap.
    let isLocked: Bool

    init() throws(CredentialFailure) {
        let size = sysconf(CInt(_SC_PAGESIZE))
        guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED else {
            throw .system(path: nil, operation: "get memory for the token", errno: errno)
        }
        CoreDumps.forbid()
        bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
        isLocked = mlock(start, size) == 0
        for advice in [MADV_DONTDUMP, MADV_WIPEONFORK] { _ = madvise(start, size, CInt(advice)) }
    }

    deinit {
        explicit_bzero(bytes.baseAddress!, bytes.count)
        munmap(bytes.baseAddress!, bytes.count)
        CoreDumps.permit()
    }
}
