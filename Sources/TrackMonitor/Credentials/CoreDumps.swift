import CLinux
import Glibc
import Synchronization

/// Whether the kernel may write a core of this process: not while a secret is in its memory.
///
/// The same switch keeps other programs of the user from attaching to the process or reading its memory.
enum CoreDumps {
    private static let state = Mutex((holders: 0, before: CInt(1)))

    /// No core from here on, until as many calls of `permit` have come.
    static func forbid() {
        state.withLock { state in
            if state.holders == 0 {
                state.before = nlos_get_dumpable()
                _ = nlos_set_dumpable(0)
            }
            state.holders += 1
        }
    }

    /// The last one puts back what the process had before the first `forbid`.
    static func permit() {
        state.withLock { state in
            state.holders -= 1
            // The kernel takes 0 and 1; what an administrator's setting made of it besides stays off.
            if state.holders == 0, state.before == 1 { _ = nlos_set_dumpable(1) }
        }
    }
}
