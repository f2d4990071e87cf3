internal import Glibc
import FundCore

/// The beginning of what a process writes to standard error; the rest is read and forgotten, so that it does not wait.
struct ErrorText {
    private static let maxBytes = 4096

    /// For reading, non-blocking.
    let descriptor: Int32
    private(set) var isOpen = true
    private var bytes: [UInt8] = []

    init(descriptor: Int32) { self.descriptor = descriptor }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Takes what has come by now.
    mutating func read() {
        var chunk = [UInt8](repeating: 0, count: Self.maxBytes)
        let count = SystemCall.retrying { Glibc.read(descriptor, &chunk, chunk.count) }
        if count > 0 { bytes += chunk[..<min(count, Self.maxBytes - bytes.count)] }
        if count == 0 || count < 0 && errno != EAGAIN { isOpen = false }
    }
}
