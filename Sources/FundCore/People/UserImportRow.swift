/// One line of another system's user table.
package struct UserImportRow: Sendable, Hashable {
    package var email: String
    package var name: String?
    /// Nil leaves it as it is.
    package var isAdministrator: Bool?
    package var isDisabled: Bool?
    /// Addresses besides `email`; an import adds and never removes them.
    package var addresses: [String]
    /// Names of funds that are made if they do not exist.
    package var funds: [String]

    package init(
        email: String, name: String? = nil, isAdministrator: Bool? = nil, isDisabled: Bool? = nil,
        addresses: [String] = [], funds: [String] = []
    ) {
        self.email = email
        self.name = name
        self.isAdministrator = isAdministrator
        self.isDisabled = isDisabled
        self.addresses = addresses
        self.funds = funds
    }
}

/// The result of one line of an import.
package enum UserImportResult: Sendable, Hashable {
    case added, updated, unchanged
    /// The line is refused for this reason; the others are not affected.
    case invalid(String)
}

/// The rows of an import that are stored.
package enum UserImportKeeping: Sendable {
    case validRows
    /// No row when one is invalid.
    case allOrNothing
    /// A rehearsal.
    case nothing
}
