package import FundHTTP
package import FundCore
internal import HTTPTypes

extension DriveError: RequestErrorConvertible {
    package var requestError: RequestError {
        // A sentence of the store may have come from the other side: it is for people, and holds no secret.
        var error = RequestError(status, problem.requestCode, description)
        error.reason = problem.rawValue
        error.problem = problem.requestCode
        error.problemValue = detail
        error.cause = description
        if problem == .busy { error.headers = [.retryAfter: "10"] }
        return error
    }

    private var status: HTTPResponse.Status {
        switch problem {
        case .off, .notFound: .notFound
        case .forbidden, .privateAddress, .refused: .forbidden
        case .settings, .name: .badRequest
        case .alreadyExists, .ambiguous, .changed: .conflict
        case .tooLarge: .contentTooLarge
        case .login, .certificate, .tooMany: .unprocessableContent
        case .full, .overQuota: .insufficientStorage
        case .busy: .serviceUnavailable
        case .tooSlow: .gatewayTimeout
        default: .badGateway
        }
    }
}

extension DriveProblem {
    /// The stable word for programs, which is a key of the pages' words, too.
    package var requestCode: String { self == .off ? "drives-off" : "drive-" + rawValue.replacing("_", with: "-") }
}
