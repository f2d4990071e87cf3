internal import FundHTTP
internal import FundCore
internal import HTTPTypes

/// RFC 4918 §10.2.
enum DAVDepth: Hashable, Sendable {
    case zero, one, infinity

    /// Infinity without the field. Throws 400 for any other value.
    init(_ fields: HTTPFields) throws {
        switch fields[.depth]?.lowercased() {
        case "0": self = .zero
        case "1": self = .one
        case nil, "infinity": self = .infinity
        default: throw DAVError(.badRequest, "Depth must be 0, 1 or infinity")
        }
    }
}

/// Fields with one value each.
enum DAVFields {
    /// RFC 4918 §10.6.
    static func overwrites(_ fields: HTTPFields) throws -> Bool {
        switch fields[.overwrite]?.uppercased() {
        case nil, "T": return true
        case "F": return false
        default: throw DAVError(.badRequest, "Overwrite must be T or F")
        }
    }

    /// `X-OC-Mtime` of ownCloud and Nextcloud: when the client changed the file. Nil for other text.
    static func modifiedAt(_ fields: HTTPFields) -> Timestamp? {
        fields[.ocModified].flatMap { DateText.time(since1970: $0) }
    }

    /// `Lock-Token` of UNLOCK (RFC 4918 §10.5). Windows and some libraries leave out the angle brackets.
    static func lockToken(_ fields: HTTPFields) throws -> String {
        let field = fields[.lockToken] ?? ""
        let hasBrackets = field.first == "<" && field.last == ">"
        let token = hasBrackets ? String(field.dropFirst().dropLast()) : field
        guard isToken(token) else { throw DAVError(.badRequest, "Lock-Token must hold a token in angle brackets") }
        return token
    }

    /// Whether it can be a token: an absolute URI (RFC 3986 §4.3), of no bytes that end one in a field.
    static func isToken(_ text: some StringProtocol) -> Bool {
        text.utf8.contains(.colon) && text.utf8.allSatisfy { ASCII.isVisible($0) && !"<>()[]\",".utf8.contains($0) }
    }
}

extension HTTPField.Name {
    static let dav = constant("DAV")
    static let depth = constant("Depth")
    static let destination = constant("Destination")
    static let davIf = constant("If")
    static let lockToken = constant("Lock-Token")
    static let overwrite = constant("Overwrite")
    static let timeout = constant("Timeout")
    static let ocModified = constant("X-OC-Mtime")
    static let msAuthorVia = constant("MS-Author-Via")
}

extension HTTPRequest.Method {
    static let propfind = constant("PROPFIND")
    static let proppatch = constant("PROPPATCH")
    static let mkcol = constant("MKCOL")
    static let copy = constant("COPY")
    static let move = constant("MOVE")
    static let lock = constant("LOCK")
    static let unlock = constant("UNLOCK")

    private static func constant(_ text: StaticString) -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method("\(text)") else { preconditionFailure("\(text) cannot name a method") }
        return method
    }
}
