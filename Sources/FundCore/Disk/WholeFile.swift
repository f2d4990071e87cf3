internal import Glibc

/// Reads small files whole.
package enum WholeFile {
    /// The failure to read a file.
    package struct Failure: Error {
        /// `errno`.
        package var code: Int32
        /// For people.
        package var problem: String
    }

    /// `-` is standard input. Throws with `EFBIG` for more than `maxBytes`.
    package static func read(_ path: String, maxBytes: Int) throws(Failure) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
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
