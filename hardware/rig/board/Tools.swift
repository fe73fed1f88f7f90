import Glibc

/// What scenarios need and busybox does not have.
enum Tools {
    /// Resets the device of a usbfs node, as `usbreset` does. The exit status.
    static func reset(_ node: String) -> Int32 {
        let descriptor = open(node, O_RDWR | O_CLOEXEC)
        let usbfsReset: UInt = 0x5514  // USBDEVFS_RESET
        guard descriptor >= 0, ioctl(descriptor, usbfsReset) >= 0 else {
            perror("\(node): reset")
            return 1
        }
        return 0
    }

    /// Becomes this program with these arguments, as if a terminal had started it: a shell has what runs beside it ignore SIGINT, and what
    /// is ignored at the start stays ignored.
    static func becomeInterruptible(_ words: [String]) -> Int32 {
        signal(SIGINT, SIG_DFL)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        execvp(words[0], &arguments)
        perror(words[0])
        return 127
    }
}
