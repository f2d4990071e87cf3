internal import FundCore
internal import FundHTTP
internal import HTTPTypes
internal import Synchronization

/// Why authentication fails. Errors of the store are thrown as they are.
enum AuthenticationError: Error, Sendable, Hashable {
    /// Unknown name, wrong password or token, or disabled user; which of them is not told. 401.
    case wrongCredentials
    /// The code behind the password is wrong, or was used before. 401.
    case wrongCode
    /// The passkey is unknown, was removed, signed something else, or its counter went back; which of them is not
    /// told. 401.
    case wrongPasskey
    /// The password is right, and a second factor is asked for. 403.
    case secondFactorAsked
    /// The password is right, and opens nothing until a second factor is set up. 403.
    case secondFactorMissing
    /// The token is known and has expired. 401.
    case expired
    /// Too many failures; credentials are not checked until this time has passed. 429 with `Retry-After`.
    case tooManyFailures(retryAfterSeconds: Int64)
    /// More logins than passwords can be hashed at a time. 503 with `Retry-After`.
    case busy(retryAfterSeconds: Int64)
}

extension AuthenticationError: RequestErrorConvertible {
    var requestError: RequestError {
        switch self {
        case .wrongCredentials: return .unauthenticated
        case .wrongCode:
            return RequestError(
                .unauthorized, "wrong-code", "the code is wrong, or was used before",
                headers: [.wwwAuthenticate: "Bearer"])
        case .wrongPasskey:
            return RequestError(
                .unauthorized, "wrong-passkey", "this passkey was not taken", headers: [.wwwAuthenticate: "Bearer"])
        case .secondFactorAsked:
            return RequestError(
                .forbidden, "second-factor",
                "this account has a second factor: send a code of it as `code`, or give the program an app password")
        case .secondFactorMissing: return .secondFactorMissing
        case .expired:
            var error = RequestError.unauthenticated
            (error.code, error.detail) = ("token-expired", "the token is no longer good; sign in again")
            return error
        case .tooManyFailures(let seconds):
            return RequestError(
                .tooManyRequests, "too-many-failures", "too many logins failed; try again later",
                headers: [.retryAfter: "\(seconds)"])
        case .busy(let seconds):
            return .unavailable("busy", "too many people sign in at this moment; try again", retryAfter: seconds)
        }
    }
}

extension RequestError {
    static let secondFactorMissing = RequestError(
        .forbidden, "second-factor-missing",
        "this account needs a second factor first: sign in on the pages and set one up; programs use app passwords")

    /// The app password does not open what was asked for (RFC 6750 §3.1).
    /// - Parameter reach: that of the app password.
    static func outOfReach(of reach: TokenReach) -> RequestError {
        let words =
            switch reach {
            case .files: "this app password opens funds, folders and files alone"
            case .read: "this app password only reads funds and what is in them"
            }
        return RequestError(
            .forbidden, "out-of-reach", words, headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope""#])
    }

    /// The session is older than a proof that its owner sits there may be.
    static let confirmFirst = RequestError(
        .forbidden, "confirm-first", "confirm first that it is you: on the page of two-step sign-in, or sign in again")
}

/// Counts of failed authentication since the process was started.
final class RefusalCounts: Sendable {
    enum Kind: String, CaseIterable {
        /// A wrong name or password, or a disabled user.
        case password
        /// A wrong code behind a right password.
        case code
        case passkey
        /// A right password that does not suffice without a second factor.
        case secondFactor = "second_factor"
        /// Not checked, because of the back-off.
        case backOff = "back_off"
        /// Not checked, because too many passwords were being hashed.
        case busy
        /// An unknown or revoked token of the web API.
        case token
        case appPassword = "app_password"
        /// The sign of a mobile call that no token of the named user made.
        case sign
        /// A token, or the sign of a token, that has expired.
        case expired
    }

    private let counts = Mutex<[Kind: Int]>([:])

    /// Runs `body` and counts the error that it throws; `wrongCredentials` counts as `kind`.
    func counting<Value>(_ kind: Kind, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let refusal as AuthenticationError {
            let kind: Kind =
                switch refusal {
                case .wrongCredentials, .wrongCode, .wrongPasskey: kind
                case .secondFactorAsked, .secondFactorMissing: .secondFactor
                case .expired: .expired
                case .tooManyFailures: .backOff
                case .busy: .busy
                }
            counts.withLock { $0[kind, default: 0] += 1 }
            throw refusal
        }
    }

    var family: MetricFamily {
        let counts = counts.withLock { $0 }
        return MetricFamily(
            "fundmail_failed_logins_total", .counter, "Passwords, tokens and signs that were not taken, by why.",
            Kind.allCases.map { MetricFamily.Sample(Double(counts[$0] ?? 0), [("kind", $0.rawValue)]) })
    }
}
