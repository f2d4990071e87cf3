import Logging
import MailFetch

extension MailboxNotice {
    /// Weighted by whether somebody should do something.
    func log(to logger: Logger) {
        switch self {
        case .alert(let text): logger.warning("the server says: \(text)")
        case .readOnly:
            logger.warning("the folder cannot be changed: what was filed stays there and is remembered here")
        case .reconnecting(let code): logger.info("the line dropped (\(code.rawValue)); connecting again")
        case .epochChanged:
            logger.warning("the server numbers its messages anew (UIDVALIDITY): all are fetched again and recognised")
        case .vanished(let count): logger.info("\(count) messages were gone before they could be fetched")
        case .leftMarkedDeleted(let count):
            logger.warning(
                """
                \(count) messages are marked deleted but still there: the server cannot remove single messages (UIDPLUS), \
                and others may have marked some, too
                """)
        case .sizeMismatch(let count):
            logger.warning(
                """
                \(count) messages have another size than the server announces, also when asked for again: they are taken in \
                with the defect size_mismatch, the server's copies stay there and are not fetched again; compare them with what was \
                filed, and move one to another folder and back to have it fetched anew
                """)
        case .ambiguousIdentity(let count):
            logger.warning("the server gives \(count) messages no name of their own: they are fetched each time")
        }
    }
}
