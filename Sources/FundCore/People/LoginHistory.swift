/// Failures in a row.
package struct LoginFailures: Sendable, Hashable {
    package var count: Int
    /// Nil when there were none.
    package var lastAt: Timestamp?

    package init(count: Int = 0, lastAt: Timestamp? = nil) {
        self.count = count
        self.lastAt = lastAt
    }
}

/// A name and a network from which a login was tried. Both are compared as they are.
package struct LoginPlace: Sendable, Hashable {
    /// Stands for the name that was given, whether or not there is such a user.
    package var name: String
    /// Stands for the network that it came from.
    package var address: String

    package init(name: String, address: String) {
        self.name = name
        self.address = address
    }
}

/// The logins that count for one place.
package struct LoginHistory: Sendable, Hashable {
    /// Time after which a failure no longer counts.
    package static let failureMemory = Duration.seconds(86_400)
    /// Time for which a success makes a place familiar.
    package static let successMemory = Duration.seconds(30 * 86_400)

    /// With this name from this address, since the last success.
    package var pair = LoginFailures()
    /// From this address, with all names.
    package var address = LoginFailures()
    /// With this name, from all addresses.
    package var name = LoginFailures()
    /// A login with this name from this address succeeded within `successMemory`.
    package var isFamiliar = false

    package init() {}
}
