/// A passkey: a credential of Web Authentication (W3C), whose private key only the user's device has.
package struct Passkey: Sendable, Hashable {
    package typealias ID = FundCore.ID<Passkey>
    package var id: ID
    package var user: User.ID
    package var key: PasskeyKey
    /// Number of signatures as the device counts them; 0 for one that does not count.
    package var counter: Int64
    package var name: String
    package var createdAt: Timestamp
    package var lastUsedAt: Timestamp?

    package init(id: ID, user: User.ID, key: PasskeyKey, counter: Int64, name: String, createdAt: Timestamp) {
        self.id = id
        self.user = user
        self.key = key
        self.counter = counter
        self.name = name
        self.createdAt = createdAt
    }
}

/// The id of a passkey as its device knows it, and the public key.
package struct PasskeyKey: Sendable, Hashable {
    /// Limit of an id (Web Authentication Level 3, §4), in bytes.
    package static let maxCredentialBytes = 1023

    package var credential: [UInt8]
    /// Number of the algorithm (COSE): -7 is ES256, -8 is EdDSA.
    package var algorithm: Int64
    /// Coordinates of the point: 64 bytes for ES256, 32 for Ed25519.
    package var publicKey: [UInt8]

    package init(credential: [UInt8], algorithm: Int64, publicKey: [UInt8]) {
        self.credential = credential
        self.algorithm = algorithm
        self.publicKey = publicKey
    }
}

/// A passkey to be kept.
package struct NewPasskey: Sendable, Hashable {
    package var key: PasskeyKey
    package var counter: Int64
    package var name: String

    package init(key: PasskeyKey, counter: Int64, name: String) {
        self.key = key
        self.counter = counter
        self.name = name
    }
}
