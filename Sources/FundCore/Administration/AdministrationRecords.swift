/// A user as administrators see them.
package struct UserRecord: Sendable, Hashable {
    package var user: User
    /// All registered addresses, the naming one first.
    package var addresses: [String]
    /// Not counting archived ones.
    package var fundCount: Int

    package init(user: User, addresses: [String], fundCount: Int) {
        self.user = user
        self.addresses = addresses
        self.fundCount = fundCount
    }
}

/// One line of another system's user table.
package struct UserImportRow: Sendable, Hashable {
    package var email: String
    package var name: String?
    /// Nil leaves it as it is.
    package var isAdministrator: Bool?
    package var isDisabled: Bool?
    /// Besides `email`; added, never taken away.
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

/// What became of one line of an import.
package enum UserImportResult: Sendable, Hashable {
    case added, updated, unchanged
    /// Not taken over, and why; the other lines are not affected.
    case invalid(String)
}

/// Which rows of an import are stored.
package enum UserImportKeeping: Sendable {
    case validRows
    /// Nothing when one row is invalid.
    case allOrNothing
    /// A rehearsal.
    case nothing
}

/// A fund as administrators see it.
package struct FundRecord: Sendable, Hashable {
    package var fund: Fund
    package var ownerEmail: String
    package var createdAt: Timestamp
    package var isArchived: Bool
    package var emailCount: Int
    package var fileCount: Int
    /// Of its files, content that occurs twice counted twice.
    package var bytes: Int64

    package init(
        fund: Fund, ownerEmail: String, createdAt: Timestamp, isArchived: Bool, emailCount: Int, fileCount: Int,
        bytes: Int64
    ) {
        self.fund = fund
        self.ownerEmail = ownerEmail
        self.createdAt = createdAt
        self.isArchived = isArchived
        self.emailCount = emailCount
        self.fileCount = fileCount
        self.bytes = bytes
    }
}

/// An entry of the audit trail.
package struct AuditEntry: Sendable, Hashable {
    package typealias ID = FundCore.ID<AuditEntry>
    package var id: ID
    package var at: Timestamp
    package var actor: String
    /// `user.add`, `fund.rename`, `misroute.file` …
    package var action: String
    /// What it was done to: an address, a fund, a misroute's number.
    package var subject: String
    package var detail: String

    package init(id: ID, at: Timestamp, actor: String, action: String, subject: String, detail: String) {
        self.id = id
        self.at = at
        self.actor = actor
        self.action = action
        self.subject = subject
        self.detail = detail
    }
}
