/// A cloud store of one person, beside their funds: what it is called and where it is. Its secrets are `DriveSettings`.
package struct Drive: Sendable, Hashable {
    package typealias ID = FundCore.ID<Drive>

    package var id: ID
    package var user: User.ID
    package var name: String
    package var kind: DriveKind
    /// The host that people know the store by, such as `cloud.example.com`; the kind's own where it has but one.
    package var host: String
    /// The account as its store names it, such as an address; nil where nothing tells it.
    package var account: String?
    package var addedAt: Timestamp
    /// The reason why the last operation failed; nil after one that succeeded.
    package var problem: DriveProblem?

    package init(
        id: ID, user: User.ID, name: String, kind: DriveKind, host: String, account: String? = nil, addedAt: Timestamp,
        problem: DriveProblem? = nil
    ) {
        self.id = id
        self.user = user
        self.name = name
        self.kind = kind
        self.host = host
        self.account = account
        self.addedAt = addedAt
        self.problem = problem
    }
}

/// A drive as its owner adds it.
package struct NewDrive: Sendable {
    package var name: String
    package var settings: DriveSettings

    package init(name: String, settings: DriveSettings) { (self.name, self.settings) = (name, settings) }
}

/// A drive with what signs in to it.
package struct DriveAccess: Sendable {
    package var drive: Drive
    package var settings: DriveSettings
    /// A number that each change of the settings raises, for a change that must not undo another one's.
    package var revision: Int64

    package init(drive: Drive, settings: DriveSettings, revision: Int64) {
        self.drive = drive
        self.settings = settings
        self.revision = revision
    }
}

/// The room of a drive, in bytes. What a store does not tell is nil.
package struct DriveSpace: Sendable, Hashable {
    package var total: Int64?
    package var used: Int64?
    package var free: Int64?

    package init(total: Int64? = nil, used: Int64? = nil, free: Int64? = nil) {
        self.total = total
        self.used = used
        self.free = free
    }
}
