internal import Foundation
internal import FundCore

/// The tokens of a drive, and what its store said of the account when a person signed in. Its text is
/// `DriveSettings.token`, which is kept sealed.
struct DriveToken: Sendable, Codable, Hashable {
    /// The access token (RFC 6749 §1.4), by which a store is asked.
    var access: String
    /// The refresh token (§1.5), by which the next access token is asked for; nil where a store gives none. It never
    /// leaves this process but for the store's token endpoint.
    var refresh: String?
    /// When the access token came.
    var fetchedAt: Timestamp
    /// When the access token ends; nil for one that does not.
    var expiresAt: Timestamp?
    /// Whether the store has ended the sign-in: it is not asked again with these tokens.
    var isEnded = false
    /// The id of the account; nil where the store did not tell it.
    var account: String?
    /// The name of the account as people know it; nil where the store did not tell it.
    var accountName: String?
    /// The host of the account's region, for stores that have several.
    var host: String?
    /// Microsoft's id and type of the drive.
    var driveID: String?
    var driveType: String?

    /// The part of its life, in hundredths, after which another access token is fetched.
    private static let renewalPercent = 80
    /// Bytes of a token: those of Microsoft have some thousand.
    private static let maxBytes = 16 << 10

    /// Throws `DriveError` with `server` for an access token that is none (RFC 6750 §2.1).
    /// - Parameter lifetime: seconds; nil where the store does not tell.
    init(access: String, refresh: String?, lifetime: Double?, at now: Timestamp) throws(DriveError) {
        let isToken = access.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-._~+/=".utf8.contains($0) }
        guard !access.isEmpty, isToken, access.utf8.count <= Self.maxBytes, refresh?.utf8.count ?? 0 <= Self.maxBytes
        else { throw DriveError(.server, "an access token that is none") }
        (self.access, self.refresh, fetchedAt) = (access, refresh, now)
        expiresAt = lifetime.flatMap { $0 > 0 && $0 < 1e9 ? now + .seconds(Int64($0)) : nil }
    }

    /// Throws `login` for settings that have none.
    static func of(_ settings: DriveSettings) throws(DriveError) -> DriveToken {
        guard let text = settings.token, let token = try? JSONDecoder().decode(DriveToken.self, from: Data(text.utf8))
        else { throw .signInAgain }
        return token
    }

    /// For `DriveSettings.token`.
    var text: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    /// Whether the access token may be used without another one being fetched first.
    func isFresh(at now: Timestamp) -> Bool {
        guard let expiresAt else { return true }
        let renewal = fetchedAt + (expiresAt - fetchedAt) * Self.renewalPercent / 100
        // A clock that was set back tells nothing of its age.
        return now >= fetchedAt && now < renewal
    }

    /// The option `token` of rclone's file: the access token alone.
    var option: String {
        // Both hold no character that JSON would escape.
        let end = expiresAt.map { #","expiry":"\#(Self.time($0))""# } ?? ""
        return #"{"access_token":"\#(access)","token_type":"Bearer"\#(end)}"#
    }

    private static func time(_ time: Timestamp) -> String {
        Date(timeIntervalSince1970: Double(time.rawValue)).formatted(.iso8601)
    }
}

extension DriveError {
    /// The store has ended the sign-in.
    static let signInAgain = DriveError(.login, "sign in again")
}
