import FundCore

/// `OK`, `NO` … with its response code (RFC 3501 §7.1).
struct IMAPStatus: Equatable {
    enum Kind: String { case ok = "OK", no = "NO", bad = "BAD", bye = "BYE", preauth = "PREAUTH" }
    var kind: Kind
    /// In capitals, without brackets; empty when there is none.
    var code = ""
    /// What follows the code's name.
    var argument = ""
    /// For people; controls taken out.
    var text = ""

    /// Of a server's line, in errors and logs.
    static let maxLineCharacters = 1000

    /// As the server wrote it, apart from white space and controls.
    var line: String {
        let whole = code.isEmpty ? text : "[\(code)\(argument.isEmpty ? "" : " " + argument)] \(text)"
        return String(whole.prefix(Self.maxLineCharacters))
    }
}

/// One response of an IMAP server, as far as it is used here (RFC 3501 §7).
enum IMAPResponse: Equatable {
    case tagged(String, IMAPStatus)
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
}

/// `LIST`, `LSUB`, `XLIST` (RFC 3501 §7.2.2).
struct IMAPFolder: Equatable {
    var attributes: [String] = []
    var delimiter: String?
    /// As on the wire: modified UTF-7.
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

/// Takes the bytes of a message while its FETCH response is being read. The response itself is complete only
/// afterwards, since the UID may follow the bytes.
protocol IMAPBodySink: AnyObject {
    /// `uid`: when it came before the bytes. Throws to refuse: then the connection is given up.
    func beginBody(uid: UID?, section: String, origin: UInt64?, size: UInt64) throws(FetchError)
    func appendBody(_ bytes: UnsafeRawBufferPointer) throws(FetchError)
}
