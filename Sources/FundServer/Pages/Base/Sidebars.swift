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
    private let letters: any LetterStore
    private let news: any NewsLibrary
    private let kept: VersionedValues<Key, SidebarSummary>
    private let troubled: VersionedValues<User.ID, Int>
    private let unread: VersionedValues<User.ID, Int>
    private let rooms: VersionedValues<User.ID, StorageUse>
    private let ofFunds: VersionedValues<Fund.ID, Int?>

    init(library: any FileLibrary & MailLibrary, letters: any LetterStore, news: any NewsLibrary) {
        (self.library, self.letters, self.news) = (library, letters, news)
        kept = VersionedValues(maxEntries: Self.maxKept, dataVersion: { try library.dataVersion() })
        troubled = VersionedValues(maxEntries: Self.maxKept, dataVersion: { try library.dataVersion() })
        ofFunds = VersionedValues(maxEntries: Self.maxKept, dataVersion: { try library.dataVersion() })
        rooms = VersionedValues(maxEntries: Self.maxKept, dataVersion: { try library.dataVersion() })
        unread = VersionedValues(maxEntries: Self.maxKept, dataVersion: { try library.dataVersion() })
    }

    /// Number of letters of a user that need a look, see `LetterStore.countTroubledLetters`.
    func troubledLetters(of user: User) async throws -> Int {
        try await troubled.value(of: user.id) { try await letters.countTroubledLetters(of: user.id) }
    }

    /// The room of a user's files.
    func room(of user: User) async throws -> StorageUse {
        try await rooms.value(of: user.id) { try await library.storageUse(of: user.id) }
    }

    /// Number of unread items of a user's own news.
    func unreadNews(of user: User) async throws -> Int {
        try await unread.value(of: user.id) { try await news.newsCounts(of: user.id).own }
    }

    /// Number of unread items of the news of a fund of the user; nil for one without feeds.
    func unreadNews(of fund: Fund.ID, of user: User.ID) async throws -> Int? {
        try await ofFunds.value(of: fund) {
            let feeds = try await news.feeds(in: .fund(fund), of: user)
            return feeds.isEmpty ? nil : feeds.reduce(0) { $0 + $1.unreadCount }
        }
    }

    func summary(of user: User) async throws -> SidebarSummary {
        try await kept.value(of: Key(user: user.id, withOffice: user.isAdministrator)) {
            try await library.sidebar(of: user.id, atMost: Self.maxFunds, withOffice: user.isAdministrator)
        }
    }
}
