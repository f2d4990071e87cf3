internal import Foundation

/// The answer of an authorisation server that is asked for tokens (RFC 6749 §5.1 and §5.2). A member of another type
/// than it has there counts as absent.
package struct TokenAnswer: Sendable, Decodable {
    package var accessToken: String?
    /// Given where the server gives one, in the place of the one before (§6).
    package var refreshToken: String?
    /// Seconds.
    package var lifetime: Double?
    package var error: String?
    package var errorDescription: String?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case lifetime = "expires_in"
        case error
        case errorDescription = "error_description"
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try? members.decode(String.self, forKey: .accessToken)
        refreshToken = try? members.decode(String.self, forKey: .refreshToken)
        // Some servers write the number as text.
        lifetime =
            (try? members.decode(Double.self, forKey: .lifetime))
            ?? (try? members.decode(String.self, forKey: .lifetime)).flatMap { Double($0) }
        error = try? members.decode(String.self, forKey: .error)
        errorDescription = try? members.decode(String.self, forKey: .errorDescription)
    }

    /// Nil for bytes that are no JSON object.
    package static func read(_ json: some Sequence<UInt8>) -> TokenAnswer? {
        try? JSONDecoder().decode(TokenAnswer.self, from: Data(json))
    }
}
