package import FundCore
internal import Glibc

/// Messages from files: single ones (`.eml`), folders of them at any depth, mbox files (RFC 4155) and Maildirs.
///
/// The kind is found by looking: a folder with `cur` and `new` is a Maildir, a file whose first line that is not empty
/// begins with `From ` is an mbox unless it is called `.eml`. Inside a folder only files that are called like messages
/// count (`.eml`, `.mbox`, `.mbx`, and the bare numbers of MH); a path that was named is read whatever it is called.
package actor FileSource: MessageSource {
    private let executor = QueueExecutor(label: "fundmail.files")
    private var walk: FileWalk
    private var mbox: MboxReader?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `paths` are taken in their order, what is inside folders by name.
    package init(paths: [String]) { walk = FileWalk(paths: paths) }

    /// Files inside folders that were passed over since they are not called like messages.
    package var ignoredFiles: Int { walk.ignoredFiles }

    package func next(atMost count: Int) -> [PendingMessage] {
        var messages: [PendingMessage] = []
        while messages.count < count, let message = next() { messages.append(message) }
        return messages
    }

    private func next() -> PendingMessage? {
        while true {
            if let message = mbox?.next() { return message }
            mbox = nil
            guard let found = walk.next() else { return nil }
            switch found {
            case .message(let path):
                return PendingMessage(reference: SourceReference(place: path)) { spool in
                    try FileReader(path: path).spool(into: spool)
                }
            case .mbox(let path): mbox = MboxReader(path: path)
            case .unreadable(let path, let error):
                return PendingMessage(reference: SourceReference(place: path)) { _ in throw error }
            }
        }
    }

    /// Files stay where they are.
    package nonisolated func acknowledge(_ messages: [StoredMessage]) {}

    /// Files stay where they are.
    package nonisolated func finish() {}
}

/// A file that cannot be read.
package struct SourceError: OperationalError, Sendable, CustomStringConvertible {
    package var path: String
    package var problem: String

    init(path: String, problem: String) { (self.path, self.problem) = (path, problem) }

    /// `code`: see errno(3).
    init(path: String, code: Int32 = errno) { self.init(path: path, problem: SystemText.of(code)) }

    package var condition: ErrorCondition { .input }
    package var isTemporary: Bool { false }
    package var description: String { "\(path): \(problem)" }
}

/// A file open for reading.
struct FileReader: ~Copyable {
    /// Smaller than the allocations for which malloc(3) maps memory each time.
    private static let chunkBytes = 64 * 1024

    let path: String
    private let descriptor: Int32

    init(path: String) throws(SourceError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0)
        guard descriptor >= 0 else { throw SourceError(path: path) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Copies the whole file into the spool.
    consuming func spool(into spool: SpoolDirectory) throws -> SpooledMessage {
        var writer = spool.makeWriter()
        try withUnsafeTemporaryAllocation(byteCount: Self.chunkBytes, alignment: 16) { buffer in
            while true {
                let count = SystemCall.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
                guard count >= 0 else { throw SourceError(path: path) }
                if count == 0 { break }
                try writer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
        return writer.finish()
    }

    /// The bytes at `offset`, fewer than `count` only at the end of the file.
    func read(upTo count: Int, at offset: Int64) throws(SourceError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = bytes.withUnsafeMutableBytes { SystemCall.fill($0, from: descriptor, at: offset) }
        guard filled >= 0 else { throw SourceError(path: path) }
        bytes.removeLast(count - filled)
        return bytes
    }
}
