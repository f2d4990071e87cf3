/// A link by which people without an account see some of a user's things, or put files into one of their folders.
package struct ShareLink: Sendable, Hashable {
    package typealias ID = FundCore.ID<ShareLink>

    /// The use of a link. The raw values stand in the database and in JSON.
    package enum Purpose: String, Sendable, CaseIterable {
        /// Its things are shown: no content is given as a file.
        case read
        /// Its things are shown, and can be downloaded.
        case download
        /// Files are put into its folder, of which nothing is shown.
        case upload
    }

    /// The raw values stand in JSON.
    package enum State: String, Sendable, CaseIterable {
        case live
        /// Its openings, or the files and bytes that may come by it, are used up.
        case usedUp = "used_up"
        case expired
        /// Its owner or an administrator ended it.
        case revoked
    }

    package var id: ID
    package var owner: User.ID
    /// The fund in which it was made. It shows nothing that lies elsewhere by now; nil for one whose fund is not known,
    /// which shows nothing.
    package var fund: Fund.ID?
    /// From it and the server's key its address is derived.
    package var seed: ShareLinkSeed
    package var purpose: Purpose
    /// The things that it shows, in the order of their kinds and ids. Of an upload link the one fund or folder into
    /// which files are put.
    package var items: [LibraryItemID]
    /// The name that its owner gave it, and sees alone; nil for none.
    package var label: String?
    package var createdAt: Timestamp
    package var expiresAt: Timestamp
    /// Time at which it was ended; nil for one that was not.
    package var revokedAt: Timestamp?
    package var hasPassword: Bool
    /// Times that it was opened.
    package var openings = 0
    /// Openings after which it cannot be opened any more; nil for any number.
    package var maxOpenings: Int?
    /// Time of the last opening; nil before the first.
    package var lastOpenedAt: Timestamp?
    /// Whether a viewer types an address first, which is drawn into all pictures; nothing else is shown then.
    package var isWatermarked = false
    /// Whether the name and address of the owner are shown.
    package var showsOwner = false
    /// The limits of an upload link; nil for other links.
    package var allowance: UploadAllowance?
    /// Files that came by it, and their bytes.
    package var received = UploadAllowance.Use()

    package init(
        id: ID, owner: User.ID, seed: ShareLinkSeed, purpose: Purpose, items: [LibraryItemID], createdAt: Timestamp,
        expiresAt: Timestamp, hasPassword: Bool
    ) {
        self.id = id
        self.owner = owner
        self.seed = seed
        self.purpose = purpose
        self.items = items
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.hasPassword = hasPassword
    }

    /// The state at a time. That its things are gone, or its owner is disabled, is not known here.
    package func state(at now: Timestamp) -> State {
        if revokedAt != nil { return .revoked }
        if now >= expiresAt { return .expired }
        if let maxOpenings, openings >= maxOpenings { return .usedUp }
        if let allowance, received.files >= allowance.maxFiles || received.bytes >= allowance.maxBytes {
            return .usedUp
        }
        return .live
    }
}

/// Limits of what comes by an upload link, over all its uses.
package struct UploadAllowance: Sendable, Hashable {
    /// The files that came by now, and their bytes.
    package struct Use: Sendable, Hashable {
        package var files = 0
        package var bytes: Int64 = 0

        package init(files: Int = 0, bytes: Int64 = 0) { (self.files, self.bytes) = (files, bytes) }
    }

    package static let usual = UploadAllowance(maxFiles: 100, maxBytes: 2_000_000_000)
    /// A folder with more is no folder that a person looks through.
    package static let mostFiles = 10_000
    package static let mostBytes: Int64 = 1 << 40

    package var maxFiles: Int
    /// Bytes of all files together.
    package var maxBytes: Int64

    package init(maxFiles: Int, maxBytes: Int64) { (self.maxFiles, self.maxBytes) = (maxFiles, maxBytes) }
}
