internal import FundCore

extension PageCall {
    /// The links of an item that are not over, for its details; nil without any.
    func linkEntry(of item: LibraryItemID) async throws -> PageModel? {
        let found = try await links.store.links(naming: [item], of: userID, at: parts.authenticator.now())
        guard let first = found.first else { return nil }
        let path = found.count == 1 ? "\(PageRoute.linkPath)/\(first.id)" : PageRoute.linkPath
        return ["path": path, "text": words("link.entry", "\(found.count)")]
    }
}
