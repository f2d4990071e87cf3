internal import FundCore
internal import Synchronization

/// The people whom users may write to, each user's kept while their list of contacts is the same.
final class PeopleIndexes: Sendable {
    private struct Kept {
        var revision: ContactRevision
        var company: ContentDigest?
        var readAt: ContinuousClock.Instant
        var index: PeopleIndex
    }

    /// Time after which mail that came in shows among the people who are offered.
    private static let lifetime = Duration.seconds(60)
    /// About 1 MB for each who has ten thousand contacts.
    private static let maxKept = 100

    private let store: any ContactStore
    /// Nil without a directory.
    private let company: @Sendable () -> CompanyDirectory?
    private let kept = Mutex(BoundedTable<User.ID, Kept>(maxEntries: maxKept))

    init(store: any ContactStore, company: @escaping @Sendable () -> CompanyDirectory?) {
        (self.store, self.company) = (store, company)
    }

    /// The people of a user. What the user changed shows at once; mail that came in, and a directory that changed, show
    /// once they were read in the background, so that who types does not wait for it.
    func index(of user: User.ID) async throws -> PeopleIndex {
        let revision = try await store.contactRevision(of: user)
        let (known, isOld) = kept.withLock { kept -> (Kept?, isOld: Bool) in
            guard var known = kept[user], known.revision == revision else { return (nil, false) }
            guard known.company != company()?.version || .now - known.readAt >= Self.lifetime else {
                return (known, false)
            }
            // Others are not to begin the same.
            (known.company, known.readAt) = (company()?.version, .now)
            kept[user] = known
            return (known, true)
        }
        guard let known else { return try await read(of: user) }
        if isOld { Task { [self] in _ = try? await read(of: user) } }
        return known.index
    }

    private func read(of user: User.ID) async throws -> PeopleIndex {
        let company = company()
        let people = try await store.knownPeople(of: user)
        let index = PeopleIndex(people, company)
        let new = Kept(revision: people.revision, company: company?.version, readAt: .now, index: index)
        kept.withLock { $0[user] = new }
        return index
    }
}
