internal import MailConnection
import FundCore

/// `OK`, `NO` … with its response code (RFC 3501 §7.1).
struct IMAPStatus: Equatable {
    enum Kind: String { case ok = "OK", no = "NO", bad = "BAD", bye = "BYE", preauth = "PREAUTH" }
    var kind: Kind
    /// In capitals, without brackets; empty when there is none.
    var code = ""
    /// Text behind the code's name.
    var argument = ""
    /// For people; controls taken out.
    var text = ""

    /// Limit of a server's line in errors and logs.
    static let maxLineCharacters = 1000

    /// The line as the server wrote it, apart from white space and controls.
    var line: String {
        let whole = code.isEmpty ? text : "[\(code)\(argument.isEmpty ? "" : " " + argument)] \(text)"
        return String(whole.prefix(Self.maxLineCharacters))
    }
}

/// Identifies a command that was sent (RFC 3501 §2.2.1).
struct IMAPTag: Hashable {
    let text: String
}

/// One response of an IMAP server, as far as it is used here (RFC 3501 §7).
enum IMAPResponse: Equatable {
    case tagged(IMAPTag, IMAPStatus)
    /// An untagged `OK`, `NO`, `BAD`, `BYE` or `PREAUTH`.
    case status(IMAPStatus)
    case continuation
    /// In capitals.
    case capability([String])
    case exists(UInt32)
    case expunge(UInt32)
    case fetch(IMAPFetch)
    case search([UID])
    case list(IMAPFolder)
    /// `MYRIGHTS` (RFC 4314 §3.8): a letter for each right that the user has in a folder.
    case rights(String)
    /// `NAMESPACE` (RFC 2342 §5): the user's own, the first of several; nil when there is none.
    case namespace(IMAPNamespace?)
    /// `QUOTA` (RFC 9208 §5.1): what is used and what is allowed of each resource, by its name in capitals.
    case quota([String: IMAPQuota])
    /// A response that is not used here, by its name.
    case other(String)

    /// For transcripts: nothing of a message is in it.
    var summary: String {
        switch self {
        case .tagged(let tag, let status): return "\(tag.text) \(status.kind.rawValue) \(status.line)"
        case .status(let status): return "* \(status.kind.rawValue) \(status.line)"
        case .continuation: return "+"
        case .capability(let names): return "* CAPABILITY \(names.joined(separator: " "))"
        case .exists(let count): return "* \(count) EXISTS"
        case .expunge(let number): return "* \(number) EXPUNGE"
        case .search(let found): return "* SEARCH (\(found.count) numbers)"
        case .list(let folder): return "* LIST \(folder.name)"
        case .rights(let rights): return "* MYRIGHTS \(rights)"
        case .namespace(let namespace): return "* NAMESPACE \(namespace?.prefix ?? "NIL")"
        case .quota(let quota): return "* QUOTA (\(quota.count) resources)"
        case .other(let name): return "* \(name)"
        case .fetch(let fetch):
            let uid = fetch.uid.map { " UID \($0)" } ?? ""
            return switch fetch.body {
            case .none: "* \(fetch.sequence) FETCH (\(uid.dropFirst()))"
            case .unavailable: "* \(fetch.sequence) FETCH (BODY NIL\(uid))"
            case .received(let section, _, let size):
                "* \(fetch.sequence) FETCH (\(section) {\(size)} (left out)\(uid))"
            }
        }
    }
}

/// `LIST`, `LSUB`, `XLIST` (RFC 3501 §7.2.2).
struct IMAPFolder: Equatable {
    var attributes: [String] = []
    var delimiter: String?
    /// The name as on the wire: modified UTF-7.
    var name = ""
}

/// One resource of a quota, such as `STORAGE` in units of 1,024 octets (RFC 9208 §5.1).
struct IMAPQuota: Equatable {
    var used: UInt64
    var limit: UInt64
}

/// A `FETCH` response (RFC 3501 §7.4.2).
struct IMAPFetch: Equatable {
    enum Body: Equatable {
        case none
        /// `NIL`: the server does not have it.
        case unavailable
        /// Went to the sink.
        case received(section: String, origin: UInt64?, size: UInt64)
    }
    var sequence: UInt32
    var uid: UID?
    /// `RFC822.SIZE`.
    var size: UInt64?
    var flags: [String]?
    /// `INTERNALDATE`.
    var receivedAt: Timestamp?
    var body = Body.none
}

/// Takes the bytes of a message while its FETCH response is being read: the UID may follow them.
protocol IMAPBodySink: AnyObject {
    /// `uid`: when it came before the bytes. Throws to refuse: then the connection is given up.
    func beginBody(uid: UID?, section: String, origin: UInt64?, size: UInt64) throws(ConnectionError)
    func appendBody(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError)
}
