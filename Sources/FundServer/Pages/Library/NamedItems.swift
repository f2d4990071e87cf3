internal import FundCore

/// The first of many items, by name.
struct NamedItems {
    static let maxNames = 20

    private(set) var names: [String] = []
    let hasMore: Bool
    /// Where the first one lies that is there; nil when none is.
    private(set) var place: LibraryPlace?

    init(_ items: [LibraryItemID], _ call: PageCall) async throws {
        hasMore = items.count > Self.maxNames
        for item in items where names.count < Self.maxNames || place == nil {
            do {
                guard let placed = try await call.placed(item) else { continue }
                names.append(placed.name)
                place = place ?? placed.place
            } catch let failure as StoreError where failure.code == .notFound {
                names.append("—")
            }
        }
        names = Array(names.prefix(Self.maxNames))
    }
}
