import FundCore

/// Where a page of a list ends: the values by which the list is ordered, so that a page begins where the one before
/// ended, whatever has come or gone since.
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

    /// False when the page is full: then the item is not in it.
    mutating func add(_ item: Item, textBytes: Int = 0) -> Bool {
        guard items.count < limit, items.isEmpty || bytes < Self.maxTextBytes else {
            hasMore = true
            return false
        }
        items.append(item)
        bytes += textBytes
        return true
    }

    /// The page that `items` fill, which come in the order of the list: all, or more than `limit`.
    /// `textBytes`: of one item's texts.
    static func of(
        _ items: some Sequence<Item>, limit: Int, textBytes: (Item) -> Int = { _ in 0 },
        next: (Item) throws -> ListCursor
    ) rethrows -> ListPage<Item> where Item: Sendable {
        var list = ListPageBuilder(limit: limit)
        for item in items where !list.add(item, textBytes: textBytes(item)) { break }
        return try list.page(next: next)
    }

    func page(next: (Item) throws -> ListCursor) rethrows -> ListPage<Item> where Item: Sendable {
        ListPage(items: items, next: hasMore ? try items.last.map { try next($0).text } : nil)
    }
}
