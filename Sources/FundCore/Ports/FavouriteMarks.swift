/// Favourites of a user, see `FileLibrary`.
package protocol FavouriteMarks: Sendable {
    /// Marks an item as a favourite of the user, or takes the mark away. The mark stays with what is deleted, and is
    /// there again when that is restored.
    func setFavourite(_ isFavourite: Bool, _ item: LibraryItemID, of user: User.ID) async throws
    /// Funds, files, emails and notes that are marked and there: by kind, and in each kind the newest first.
    func favourites(of user: User.ID, _ page: PageQuery) async throws -> ListPage<FavouriteEntry>
}
