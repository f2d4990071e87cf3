import Ingest
import MailFetch

/// The source of one mailbox, of either protocol.
enum OpenMailbox: Sendable {
    case imap(IMAPMailboxSource)
    case pop3(POP3MailboxSource)

    init(_ access: MailboxAccess, in surroundings: MailboxSurroundings) throws {
        self =
            access.address.scheme.isIMAP
            ? .imap(IMAPMailboxSource(access, in: surroundings))
            : .pop3(try POP3MailboxSource(access, in: surroundings))
    }

    var messages: any MessageSource {
        switch self {
        case .imap(let source): source
        case .pop3(let source): source
        }
    }

    /// Logs out.
    func close() async {
        // POP3 did at the end of the run: only that makes its deletions count.
        if case .imap(let source) = self { await source.close() }
    }
}
