internal import Glibc

/// Reads small files whole.
package enum WholeFile {
    /// The failure to read a file.
    package struct Failure: Error, CustomStringConvertible {
        /// `errno`.
        package var code: Int32
        /// For people.
        package var problem: String

        package var description: String { problem }
    }

    /// `-` is standard input. Throws with `EFBIG` for more than `maxBytes`. A pipe is read until its writer closes it.
    package static func read(_ path: String, maxBytes: Int) throws(Failure) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        return try read(descriptor, maxBytes: maxBytes)
    }

    /// Reads a file that a configuration names. Throws with `EFBIG` for more than `maxBytes`, and with `EINVAL` for a
    /// pipe or a device: it would keep the thread for good.
    package static func readRegular(_ path: String, maxBytes: Int) throws(Failure) -> [UInt8] {
        // A pipe without a writer opens at once.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return try read(descriptor, maxBytes: maxBytes)
        case S_IFDIR: throw failure(EISDIR)
        default: throw Failure(code: EINVAL, problem: "it is no regular file")
        }
    }

    private static func read(_ descriptor: Int32, maxBytes: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = SystemCall.retrying { Glibc.read(descriptor, &chunk, chunk.count) }
            guard count >= 0 else { throw failure(errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            if bytes.count > maxBytes { throw Failure(code: EFBIG, problem: "it is longer than \(maxBytes) bytes") }
        }
    }

    private static func failure(_ code: Int32) -> Failure {
        Failure(code: code, problem: SystemText.of(code))
    }
}
