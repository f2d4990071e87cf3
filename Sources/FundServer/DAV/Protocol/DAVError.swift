internal import FundCore
internal import FundHTTP
internal import Hummingbird

/// Why a WebDAV request fails.
struct DAVError: DAVResponseError, Sendable {
    var status: HTTPResponse.Status
    /// One sentence for people, without a full stop.
    var detail: String
    /// The precondition or postcondition that did not hold.
    var condition: DAVCondition?
    var headers: HTTPFields = [:]

    init(
        _ status: HTTPResponse.Status, _ detail: String, _ condition: DAVCondition? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.detail = detail
        self.condition = condition
        self.headers = headers
    }

    var response: Response {
        var headers = headers
        guard let condition else {
            headers[.contentType] = "text/plain; charset=utf-8"
            return Response(
                status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: detail + "\n")))
        }
        var writer = MarkupWriter()
        condition.write(to: &writer, declaring: " xmlns:D=\"DAV:\"")
        return .xml(status, writer, headers: headers)
    }
}

/// A change that failed because of other resources than the one of the request (RFC 4918 §13). Nothing was changed.
struct MultiStatusError: DAVResponseError {
    var places: [(href: String, status: HTTPResponse.Status)]

    var response: Response {
        var writer = MarkupWriter()
        writer.raw("<D:multistatus xmlns:D=\"DAV:\">")
        for (href, status) in places {
            writer.raw("<D:response>")
            writer.element("D:href", href)
            writer.element("D:status", status.line)
            if status == .locked { DAVCondition.lockTokenSubmitted([href]).write(to: &writer) }
            writer.raw("</D:response>")
        }
        writer.raw("</D:multistatus>")
        return .xml(.multiStatus, writer)
    }
}

/// An error that has a response of its own over WebDAV.
protocol DAVResponseError: Error {
    var response: Response { get }
}

extension MarkupError: DAVResponseError {
    var response: Response { DAVError(.badRequest, reason).response }
}

extension Response {
    /// An XML body.
    static func xml(_ status: HTTPResponse.Status, _ writer: MarkupWriter, headers: HTTPFields = [:]) -> Response {
        Response(status, "application/xml; charset=\"utf-8\"", writer.buffer, headers: headers)
    }
}

/// Precondition and postcondition elements (RFC 4918 §16).
enum DAVCondition: Hashable, Sendable {
    case cannotModifyProtectedProperty
    case propfindFiniteDepth
    /// The request URL is not in the scope of the lock whose token was given.
    case lockTokenMatchesRequestURI
    /// Hrefs of the locks whose tokens are missing.
    case lockTokenSubmitted([String])
    /// Hrefs of the conflicting locks.
    case noConflictingLock([String])
    /// The person, or all people together, may not have more (RFC 4331 §6).
    case quotaNotExceeded

    /// Within `error` (§14.5).
    func write(to writer: inout MarkupWriter, declaring namespace: String = "") {
        writer.raw("<D:error\(namespace)>")
        switch self {
        case .cannotModifyProtectedProperty: writer.raw("<D:cannot-modify-protected-property/>")
        case .propfindFiniteDepth: writer.raw("<D:propfind-finite-depth/>")
        case .lockTokenMatchesRequestURI: writer.raw("<D:lock-token-matches-request-uri/>")
        case .lockTokenSubmitted(let hrefs): Self.write("lock-token-submitted", hrefs, to: &writer)
        case .quotaNotExceeded: writer.raw("<D:quota-not-exceeded/>")
        case .noConflictingLock(let hrefs): Self.write("no-conflicting-lock", hrefs, to: &writer)
        }
        writer.raw("</D:error>")
    }

    private static func write(_ name: StaticString, _ hrefs: [String], to writer: inout MarkupWriter) {
        writer.raw("<D:\(name)>")
        for href in hrefs { writer.element("D:href", href) }
        writer.raw("</D:\(name)>")
    }
}

extension HTTPResponse.Status {
    static let multiStatus = HTTPResponse.Status(code: 207, reasonPhrase: "Multi-Status")
    static let locked = HTTPResponse.Status(code: 423, reasonPhrase: "Locked")
    static let failedDependency = HTTPResponse.Status(code: 424, reasonPhrase: "Failed Dependency")

    /// The status line in a multi-status body.
    var line: String { "HTTP/1.1 \(code) \(reasonPhrase)" }
}
