/// The second factors of a user: all that is asked for besides the password.
package struct SecondFactors: Sendable, Hashable {
    package var passkeyCount = 0
    /// Whether an authenticator app makes codes (RFC 6238).
    package var hasCodeApp = false
    package var recoveryCodesLeft = 0
    /// Whether recovery codes were made, used ones included.
    package var hasRecoveryCodes = false

    package init() {}

    /// Whether a passkey or an authenticator app is set up. Recovery codes alone are what is left of a lost one.
    package var isSetUp: Bool { passkeyCount > 0 || hasCodeApp }

    /// Whether the password alone does not sign the user in.
    package var areAsked: Bool { isSetUp || hasRecoveryCodes }
}

/// The people who must have a second factor. The raw values stand in the configuration.
package enum SecondFactorRule: String, Sendable, Hashable, CaseIterable {
    case none, administrators, everybody

    /// Whether this user must have a second factor.
    package func concerns(_ user: User) -> Bool {
        switch self {
        case .none: false
        case .administrators: user.isAdministrator
        case .everybody: true
        }
    }
}

/// A secret of an authenticator app, and the last time step whose code was taken.
package struct CodeApp: Sendable, Hashable {
    /// Secret, encrypted under a key that is not in the database.
    package var sealed: [UInt8]
    /// Number of the time step of RFC 6238: its code, and those of earlier steps, are not taken again.
    package var lastStep: Int64
    package var createdAt: Timestamp

    package init(sealed: [UInt8], lastStep: Int64, createdAt: Timestamp) {
        self.sealed = sealed
        self.lastStep = lastStep
        self.createdAt = createdAt
    }
}

/// The session in which a person changes their second factors.
package struct FactorSession: Sendable, Hashable {
    package var user: User.ID
    /// Token of the session, which must not have ended.
    package var token: TokenRecord.ID
    package var now: Timestamp

    package init(user: User.ID, token: TokenRecord.ID, now: Timestamp) {
        self.user = user
        self.token = token
        self.now = now
    }
}
