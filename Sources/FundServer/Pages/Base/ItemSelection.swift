internal import FundHTTP
internal import FundCore

/// Items in the text of an address or the boxes of a form: `file-12.folder-7`.
struct ItemSelection {
    /// More do not fit into an address.
    private static let maxAddressCount = 200
    /// Limit of items of a form, as many as the web API takes for a zip file.
    private static let maxFormCount = 1000

    let items: [LibraryItemID]

    init(items: [LibraryItemID]) { self.items = items }

    init?(_ text: String?) {
        guard let text, text.utf8.count <= 8192 else { return nil }
        let items = text.split(separator: ".").compactMap(Self.item)
        guard !items.isEmpty, items.count <= Self.maxAddressCount else { return nil }
        self.init(items: items)
    }

    /// The items of the fields `item-file-12`, whatever their values. Throws 400 when there are too many.
    init(form: FieldText) throws {
        let keys = form.values.keys.filter { $0.hasPrefix("item-") }.sorted()
        guard keys.count <= Self.maxFormCount else {
            throw RequestError.invalid("at most \(Self.maxFormCount) items can be chosen at once")
        }
        items = keys.compactMap { Self.item($0.dropFirst(5)) }
    }

    /// The items of the fields `item-file-12` of an address. Throws 400 when there are too many.
    init(query: QueryText) throws { try self.init(form: query.fields) }

    /// These without one that a form names as `file-12`.
    mutating func remove(_ key: some StringProtocol) {
        guard let item = Self.item(Substring(key)) else { return }
        self = ItemSelection(items: items.filter { $0 != item })
    }

    /// The query of an address that names them, and the page from which one came.
    func query(back: String?) -> String {
        PageQueryText.text(fields.map { ($0.name, $0.value) } + [("back", back)])
    }

    var text: String { items.map(Self.key).joined(separator: ".") }

    var fitsAddress: Bool { items.count <= Self.maxAddressCount }

    /// The fields of a form that names them.
    var fields: [(name: String, value: String)] { items.map { ("item-\(Self.key($0))", "1") } }

    /// `file-12`: an item in addresses, forms and rows.
    static func key(_ item: LibraryItemID) -> String { "\(item.kind.name)-\(item.number)" }

    private static func item(_ text: Substring) -> LibraryItemID? {
        let parts = text.split(separator: "-")
        guard parts.count == 2, let kind = ItemKind(name: String(parts[0])), let number = QueryText.number(parts[1]),
            number > 0
        else { return nil }
        return LibraryItemID(kind, number)
    }
}
