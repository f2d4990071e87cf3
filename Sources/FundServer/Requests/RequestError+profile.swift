internal import FundCore
package import FundHTTP

extension ProfileError: RequestErrorConvertible {
    package var requestError: RequestError {
        guard code != .parts else { return .invalid(description) }
        // Names of files on this machine are for its log.
        var error = RequestError.unavailable(
            "profile-failed", "the profile cannot be made now; an administrator has to look", retryAfter: 60)
        error.cause = description
        return error
    }
}
