import FundCore

extension LibraryItemID {
    /// How the tables that hold all kinds of items name them. Throws `corrupted` for a number that is no kind.
    init(column kind: Int, _ id: Int64) throws {
        guard let kind = ItemKind(rawValue: kind) else {
            throw StoreError(.corrupted, "read the library", "\(kind) is no kind of item")
        }
        self.init(kind, id)
    }
}
