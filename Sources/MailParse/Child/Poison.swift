#if DEBUG
    import FundCore
    internal import Glibc

    /// For tests of the pool: a message that asks for it harms the child that reads it. Not compiled into a release.
    enum Poison {
        private static let mark = Array("X-Fundmail-Poison: ".utf8)

        /// Looks at the first bytes of the message.
        static func take(from message: Int32) {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = pread(message, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            for line in bytes[..<count].split(whereSeparator: { $0 == .lf || $0 == .cr }) where line.starts(with: mark)
            {
                act(String(decoding: line.dropFirst(mark.count), as: UTF8.self))
            }
        }

        private static func act(_ kind: String) {
            switch kind {
            case "crash": raise(SIGSEGV)
            case "hang": while true { sleep(1) }
            case "spin": while true { _ = getppid() }
            case "exit": exit(3)
            case "memory":
                while let block = malloc(16 << 20) { memset(block, 1, 16 << 20) }
                Wire.complain("out of memory")
                abort()
            case "garbage":
                let bytes = [UInt8](repeating: 0xFF, count: 64)
                _ = write(1, bytes, bytes.count)
            default: break
            }
        }
    }
#endif
