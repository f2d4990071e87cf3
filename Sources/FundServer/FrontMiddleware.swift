internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
import FundCore
internal import Logging

/// Wraps every request: finds the client's address, refuses what no route allows, answers errors, counts and logs.
struct FrontMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    /// An unread request body of up to this many bytes is discarded, so that the connection can be used again.
    private static let maxUnreadBody = 64 * 1024
    /// RFC 6797 §6.1: one year, without `includeSubDomains`, since other hosts of the domain are not this server's.
    /// Browsers ignore it over plain HTTP and for IP addresses (§8.1).
    private static let transportSecurity = "max-age=31536000"

    let interfaces: [any ServerInterface]
    let isEncrypted: Bool
    /// The server's passwords are published.
    var hasNoSecrets = false
    let trustsProxy: Bool
    let limits: ServerLimits
    let metrics: ServerMetrics
    let connections: ConnectionTable
    let accessLog: AccessLog
    /// Called for each request of a signed-in user.
    var onUse: @Sendable () -> Void = {}

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var context = context
        identify(request, &context)
        var response: Response
        do {
            try check(request, context)
            // A client that does not read waits for more: HTTP/2 has up to a hundred requests at a time.
            if context.isMultiplexed, let sends = context.sends { _ = try await sends.take(upTo: 0) }
            let request = context.connection.answeringExpectation(of: request)
            response = isAboutServer(request) ? serverOptions : try await next(request, context)
        } catch let error where RequestConnection.isBroken(by: error) {
            // The server answers 400 and closes.
            metrics.count(request.method, context.endpointPath ?? "", .badRequest, ContinuousClock.now - start)
            throw error
        } catch {
            response = answer(error, request, context)
        }
        // Whatever made it reserved too little, or nothing.
        if !hasRoom(for: response, to: request, context) {
            if Self.tellsOfChange(response, request, context), let sends = context.sends {
                sends.hold(response.body.contentLength ?? 0)
            } else {
                response = answer(RequestError.busy, request, context)
            }
        }
        finish(&response, request, context)
        if context.notedUser != nil {
            onUse()
            if let connection = context.sends?.connection { connections.noteSender(of: connection) }
        }
        let time = ContinuousClock.now - start
        metrics.count(request.method, context.endpointPath ?? "", response.status, time)
        accessLog.note(request, context, response, time)
        return response
    }

    private func identify(_ request: Request, _ context: inout ServerContext) {
        context.isEncrypted = isEncrypted
        context.hasNoSecrets = hasNoSecrets
        guard trustsProxy else {
            context.sends?.requestBegan(from: nil)
            return
        }
        context.isEncrypted = request.headers[.forwardedProto]?.lowercased() == "https"
        // The proxy appended the last entry itself; those before it came from the client.
        let hops = request.headers[values: .forwardedFor].joined(separator: ",").split(separator: ",")
        // One that cannot be read is empty: it must not pass for the proxy's own, which is mostly of this machine.
        if let last = hops.last { context.peer = PeerAddress.forwarded(last) ?? "" }
        context.sends?.requestBegan(from: ClientAddress(context.peer))
    }

    /// Reserves what a body in memory takes, by its real size: for every method, and for failures.
    private func hasRoom(for response: Response, to request: Request, _ context: ServerContext) -> Bool {
        guard let sends = context.sends, !sends.takePieces(), request.method != .head,
            let count = response.body.contentLength,
            context.isMultiplexed || count > StreamSends.maxUncounted || sends.hasReserved
        else { return true }
        return sends.settle(count)
    }

    /// Methods that change nothing (RFC 9110 §9.2.1, RFC 4918 §9.1).
    private static let safeMethods: Set<HTTPRequest.Method> = [.get, .head, .options, .trace, .propfind, .report]

    /// Whether a user's request changed something, and the response says so. Told to try again, a client would do it
    /// twice, or meet what it did itself. Acts reserve room before they are done, which bounds what such responses
    /// take.
    private static func tellsOfChange(_ response: Response, _ request: Request, _ context: ServerContext) -> Bool {
        response.status.kind == .successful && !safeMethods.contains(request.method) && context.notedUser != nil
    }

    /// Throws `RequestError` for what no route allows.
    private func check(_ request: Request, _ context: ServerContext) throws {
        do {
            // Swift normalises text to compare it, in quadratic time for long runs of combining marks, and fields are
            // compared before the sender is authenticated.
            guard request.headers.allSatisfy({ $0.value.isStreamSafe }) else {
                throw RequestError.invalid("a field of the request holds too many combining marks in a row")
            }
            try RequestCheck(request.head, isMultiplexed: context.isMultiplexed, limits: limits).run()
        } catch {
            metrics.connections.refused(.request)
            throw error
        }
    }

    private func isAboutServer(_ request: Request) -> Bool {
        request.method == .options && ["*", "/"].contains(request.head.path)
    }

    /// The answer to `OPTIONS *` (RFC 9110 §9.3.7). It is about no resource, so it needs no authentication.
    private var serverOptions: Response {
        var headers: HTTPFields = [.allow: "OPTIONS", .contentLength: "0"]
        for interface in interfaces { headers.append(contentsOf: interface.serverOptions) }
        return Response(status: .ok, headers: headers)
    }

    private func answer(_ error: any Error, _ request: Request, _ context: ServerContext) -> Response {
        let failure = RequestError(error)
        if failure.status.kind == .serverError {
            // That a file waits for its scan is no fault of this server.
            let level: Logger.Level = failure.code == RequestError.unscanned ? .debug : .error
            context.logger.log(
                level: level, "\(failure.cause ?? failure.detail)", metadata: ["request": "\(context.id)"])
        }
        let path = request.uri.path
        guard let interface = interfaces.first(where: { $0.owns(path: path) }) else {
            return ProblemDetails.response(to: failure, requestID: context.id)
        }
        return interface.response(to: failure, request, context)
    }

    private func finish(_ response: inout Response, _ request: Request, _ context: ServerContext) {
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.referrerPolicy] == nil { response.headers[.referrerPolicy] = "no-referrer" }
        if context.isEncrypted { response.headers[.strictTransportSecurity] = Self.transportSecurity }
        if request.method == .head, response.body.contentLength != 0 { response = response.createHeadResponse() }
        guard !context.isMultiplexed, response.status.code >= 400 else { return }
        let length = request.headers[.contentLength].flatMap(Int.init) ?? 0
        if request.headers[.transferEncoding] != nil || length > Self.maxUnreadBody {
            response.headers[.connection] = "close"
        }
    }
}
