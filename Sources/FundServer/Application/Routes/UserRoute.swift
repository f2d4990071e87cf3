internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// One operation of an interface for users.
protocol UserRoute: TabledRoute {
    associatedtype Call: RoutedCall where Call.Route == Self

    var access: RouteAccess { get }
    /// Whether it opens to who must set up a second factor first.
    var opensBeforeSecondFactor: Bool { get }
    /// Whether who has a second factor must have proved lately that it is they: an act that gives accounts away.
    var asksForProof: Bool { get }
    /// Whether its address proves alone that it may be asked for, from wherever the request comes: browsers add nothing
    /// to it that counts.
    var provesItself: Bool { get }
    /// Reaches of app passwords that open it; none for what sessions alone open.
    var reaches: Set<TokenReach> { get }
    /// Whether it is of news, which may be turned off.
    var isOfNews: Bool { get }
    var handler: @Sendable (Call) async throws -> Response { get }
}

/// Who may ask for a route.
enum RouteAccess: Sendable, CaseIterable {
    /// Without authentication.
    case anyone
    case user
    case administrator
}

/// One request to a route, with what its interface adds to the checks.
protocol RoutedCall: UserCall {
    associatedtype Route

    var signedIn: SignedIn? { get set }

    /// The sender, whose token is live and who is enabled; nil for a stranger where that is no failure yet.
    func sender(for access: RouteAccess) async throws -> SignedIn?
    /// Throws 403 for an act that another site sent with a credential that browsers add by themselves.
    func checkOrigin() throws
    /// An answer in the place of the route's own, to users and strangers alike; nil for most requests.
    var detour: Response? { get }
    /// The answer to a stranger on a route for users.
    func responseToStranger(on route: Route) async throws -> Response
    /// The answer to who must set up a second factor first, on a route that does not open before.
    func responseBeforeSecondFactor() throws -> Response
    /// The answer to who has to prove first that it is they, on a route that asks for it.
    func responseBeforeProof() throws -> Response
    /// Checks the conditions of the request, and reserves room for the answer.
    mutating func prepare(for route: Route) async throws
}

extension RoutedCall {
    /// Throws unless the sender may still ask for a route. Called when a body was read: it may have been on its way for
    /// long.
    func requireSender(for access: RouteAccess) async throws {
        guard access != .anyone else { return }
        let sender = try await authenticate()
        guard access != .administrator || sender.user.isAdministrator else { throw RequestError.forbidden }
        // Who lacked one at the beginning is on a route that opens before.
        guard !sender.lacksSecondFactor || signedIn?.lacksSecondFactor == true else {
            throw RequestError.secondFactorMissing
        }
    }
}

extension UserRoute {
    var provesItself: Bool { false }
    var reaches: Set<TokenReach> { [] }

    /// This route with a change.
    func with(_ change: (inout Self) -> Void) -> Self {
        var route = self
        change(&route)
        return route
    }

    /// Answers after all checks, in the one order that web API and pages have: sender, origin, signed in, reach, second
    /// factor, administrator, proof, conditions, room, whether it is turned off. The handler reads the body and checks
    /// the token of a form; an act of an administrator is checked once more by the transaction of the store that
    /// carries it out.
    func response(to call: inout Call) async throws -> Response {
        call.signedIn = try await call.sender(for: access)
        if let user = call.signedIn?.user { call.context.noteUser(user.id) }
        if method != .get, !provesItself { try call.checkOrigin() }
        if let detour = call.detour { return detour }
        if access != .anyone {
            guard let signedIn = call.signedIn else { return try await call.responseToStranger(on: self) }
            if let reach = signedIn.reach, !reaches.contains(reach) { throw RequestError.outOfReach(of: reach) }
            guard !signedIn.lacksSecondFactor || opensBeforeSecondFactor else {
                return try call.responseBeforeSecondFactor()
            }
            guard access == .user || signedIn.user.isAdministrator else { throw RequestError.forbidden }
            if asksForProof, try await !call.isProven() { return try call.responseBeforeProof() }
        }
        try await call.prepare(for: self)
        guard !isOfNews || call.parts.newsIsOn() else { throw RequestError.newsIsOff }
        return try await handler(call)
    }
}
