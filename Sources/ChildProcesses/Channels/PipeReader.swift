internal import FundCore
internal import Glibc

/// Reads what a child writes to a pipe, and keeps a part of it; the rest is read and forgotten, so that the child does
/// not wait.
package struct PipeReader {
    /// The part of the output that is kept.
    package enum Part: Sendable { case beginning, end }

    private static let chunkBytes = 4096
    /// Chunks of one `read`: more than a pipe holds (64 KiB). It ends also for a child that goes on writing.
    private static let maxChunks = 32
    /// Bytes of a line that is shown.
    private static let maxLineBytes = 300

    /// Does not block.
    package let descriptor: Int32
    private let part: Part
    private let limit: Int
    /// False once the child, and all that have its end of the pipe, have closed it.
    package private(set) var isOpen = true
    package private(set) var bytes: [UInt8] = []

    package init(_ descriptor: Int32, keeping part: Part, atMost limit: Int = 4096) {
        self.descriptor = descriptor
        self.part = part
        self.limit = limit
    }

    /// Reads what the pipe holds; never waits.
    package mutating func read() {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        for _ in 0..<Self.maxChunks {
            let count = SystemCall.retrying { Glibc.read(descriptor, &chunk, chunk.count) }
            guard count > 0 else {
                if count == 0 || errno != EAGAIN { isOpen = false }
                return
            }
            switch part {
            case .beginning: bytes += chunk[..<min(count, limit - bytes.count)]
            case .end:
                bytes += chunk[..<count]
                if bytes.count > limit { bytes.removeFirst(bytes.count - limit) }
            }
        }
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The last line with a visible character, in printable ASCII: it may hold what a message said.
    package var lastLine: String? {
        let line = bytes.split(separator: .lf).last { $0.contains { $0 > .space } }
        return line.map {
            String(
                decoding: $0.prefix(Self.maxLineBytes).map {
                    $0 == .space || ASCII.isVisible($0) ? $0 : .questionMark
                }, as: UTF8.self)
        }
    }
}
