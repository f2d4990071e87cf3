internal import FundCore

/// The sidebars of people, each kept while nothing in the store changes. What time alone brings back to the desk shows
/// with the next commit: figures of the server's health are committed each minute.
struct Sidebars: Sendable {
    private struct Key: Hashable, Sendable {
        var user: User.ID
        var withOffice: Bool
    }

    /// Funds that stand in a sidebar; a link leads to the others.
    private static let maxFunds = 12
    /// About 2 MB.
    private static let maxKept = 1000

    private let library: any FileLibrary & MailLibrary
    private let kept: VersionedValues<Key, SidebarSummary>

    init(library: any FileLibrary & MailLibrary) {
        self.library = library
        kept = VersionedValues(maxEntries: Self.maxKept, dataVersion: { try library.dataVersion() })
    }

    func summary(of user: User) async throws -> SidebarSummary {
        try await kept.value(of: Key(user: user.id, withOffice: user.isAdministrator)) {
            try await library.sidebar(of: user.id, atMost: Self.maxFunds, withOffice: user.isAdministrator)
        }
    }
}
