package import FundCore

/// Messages from files: single ones (`.eml`), folders of them at any depth, mbox files (RFC 4155) and Maildirs.
///
/// The kind is found by looking: a folder with `cur` and `new` is a Maildir, a file that begins with a `From ` line is
/// an mbox unless it is called `.eml`. Inside a folder only files that are called like messages count (`.eml`, `.mbox`,
/// `.mbx`, and the bare numbers of MH); a path that was named is read whatever it is called.
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

    package var condition: ErrorCondition { .input }
    package var isTemporary: Bool { false }
    package var description: String { "\(path): \(problem)" }
}
