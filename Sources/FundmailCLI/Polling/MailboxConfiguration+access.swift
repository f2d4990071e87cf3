import FundCore
import MailFetch

extension MailboxConfiguration {
    /// What the source needs, secrets included. Throws `CommandError` when they cannot be read.
    func access(limits: ParseLimits, cancellation: Cancellation) throws -> MailboxAccess {
        var access = MailboxAccess(
            name: name, address: server, credentials: try credential.credentials(of: name, cancellation),
            tls: usesTLS ? .required(caFile: caFile) : .off, after: after.action)
        access.afterMisrouted = afterMisrouted.action
        access.maxMessageBytes = limits.maxMessageBytes
        return access
    }
}

extension AfterFiling {
    /// RFC 3501 §2.3.2: what mail programs show as a star or a flag.
    private static let flagged = "\\Flagged"

    var action: MailboxAccess.After {
        switch self {
        case .delete: .delete
        case .move(let folder): .move(folder: folder)
        case .flag: .flag(Self.flagged)
        case .keep: .keep
        }
    }
}
