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

    /// SENT JSONL: are the numbers those that were sent? The exit status.
    static func sameNumbers(_ files: [String]) -> Int32 {
        guard files.count == 2, let sent = contents(files[0]), let emitted = contents(files[1]) else { return 2 }
        return tell(Account.sameNumbers(SentText(sent), EmittedText(emitted)))
    }

    /// SENT JSONL REFUSED FIRMWARE-LOST GAPS: does the summary account for every frame? The exit status.
    static func ledger(_ words: [String]) -> Int32 {
        let counts = words.dropFirst(2).compactMap { Int($0) }
        guard counts.count == 3, let sent = contents(words[0]), let emitted = contents(words[1]) else { return 2 }
        let summary = Account.Summary(refused: counts[0], firmwareLost: counts[1], gaps: counts[2])
        return tell(Account.ledger(SentText(sent), EmittedText(emitted), summary))
    }

    private static func tell(_ verdict: (said: String, complaint: String?)) -> Int32 {
        print(verdict.said)
        guard let complaint = verdict.complaint else { return 0 }
        print(complaint)
        return 1
    }

    private static func contents(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else {
            perror(path)
            return nil
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: chunk[..<count])
        }
    }
}
