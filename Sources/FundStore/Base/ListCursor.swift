import FundCore

/// End of a page of a list (keyset pagination): the values by which the list is ordered, so that the next page begins
/// there, whatever has come or gone since.
struct ListCursor {
    var numbers: [Int64]
    /// Only the last one may hold a line feed.
    var texts: [String] = []

    var text: String {
        ([numbers.map(String.init).joined(separator: ".")] + texts).joined(separator: "\n")
    }

    init(_ numbers: Int64..., texts: [String] = []) {
        self.numbers = numbers
        self.texts = texts
    }

    /// Throws `invalid`.
    init(decoding text: String, numbers numberCount: Int, texts textCount: Int = 0) throws {
        let parts = text.split(separator: "\n", maxSplits: textCount, omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: ".").compactMap { Int64($0) }
        guard parts.count == textCount + 1, numbers.count == numberCount else {
            throw StoreError(.invalid, "list", "there is no such cursor")
        }
        self.numbers = numbers
        texts = parts.dropFirst().map(String.init)
    }
}

/// Collects the items of one page of a list.
struct ListPageBuilder<Item> {
    /// Bytes of the texts of a page, so that a thousand readers at a time need bounded memory.
    static var maxTextBytes: Int { 1 << 20 }

    private(set) var items: [Item] = []
    private(set) var hasMore = false
    private let limit: Int
    private var bytes = 0

    init(limit: Int) { self.limit = limit }

    /// Adds an item. False when the page is full: then the item is not in it.
    mutating func add(_ item: Item, textBytes: Int = 0) -> Bool {
        guard items.count < limit, items.isEmpty || bytes < Self.maxTextBytes else {
            hasMore = true
            return false
        }
        items.append(item)
        bytes += textBytes
        return true
    }

    func page(next: (Item) throws -> ListCursor) rethrows -> ListPage<Item> where Item: Sendable {
        ListPage(items: items, next: hasMore ? try items.last.map { try next($0).text } : nil)
    }
}

/// An item of a list that is read in pages.
protocol ListedItem: Sendable {
    /// Numbers and texts in a cursor of the list.
    static var cursorParts: (numbers: Int, texts: Int) { get }
    /// The place of the item in the list.
    var cursor: ListCursor { get }
    /// Bytes of its texts.
    var textBytes: Int { get }
}

extension ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (1, 0) }
    var textBytes: Int { 0 }
}

extension PageQuery {
    /// Reads one page. Throws `invalid` for a cursor that no page of such a list has.
    ///
    /// - Parameter fetch: gives the items behind a cursor, in the order of the list: all, or `count` of them.
    func list<Item: ListedItem>(
        _ fetch: (_ after: ListCursor?, _ count: Int) throws -> [Item]
    ) throws -> ListPage<Item> {
        let (numbers, texts) = Item.cursorParts
        let start = try cursor.map { try ListCursor(decoding: $0, numbers: numbers, texts: texts) }
        var list = ListPageBuilder<Item>(limit: limit)
        for item in try fetch(start, limit + 1) where !list.add(item, textBytes: item.textBytes) { break }
        return list.page { $0.cursor }
    }
}
