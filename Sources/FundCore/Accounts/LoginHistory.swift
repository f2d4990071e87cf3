/// Failures in a row.
package struct LoginFailures: Sendable, Hashable {
    package var count: Int
    /// Seconds since 1970.
    package var lastAt: Int64

    package init(count: Int = 0, lastAt: Int64 = 0) {
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
    /// Seconds after which a failure no longer counts.
    package static let failureMemory: Int64 = 86_400
    /// Seconds for which a success makes a place familiar.
    package static let successMemory: Int64 = 30 * 86_400

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
