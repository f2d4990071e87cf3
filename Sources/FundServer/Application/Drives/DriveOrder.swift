internal import FundCore

/// The order of the entries of a folder. Folders come first, and what is equal is ordered by name.
struct DriveOrder: Sendable, Hashable {
    enum Key: String, Sendable, CaseIterable {
        case name, size
        case modifiedAt = "modified_at"
    }

    var key = Key.name
    var isDescending = false

    /// The word of the field `sort`.
    var word: String { (isDescending ? "-" : "") + key.rawValue }
}

/// The place of an entry in an order. It holds all that the order compares: pages go on behind it, whatever came or
/// went in the folder meanwhile.
struct DriveEntryPosition: Sendable {
    let isFolder: Bool
    /// The size or the time by which the order compares; nil where the store does not tell it, and in the order of
    /// names.
    let number: Int64?
    /// Names are compared without their case.
    private let nameKey: String
    let name: String
    /// Tells entries of one name apart, which some stores have.
    let storeID: String

    init(_ entry: DriveEntry, in order: DriveOrder) {
        let number: Int64? =
            switch order.key {
            case .name: nil
            case .size: entry.size
            case .modifiedAt: entry.modifiedAt?.rawValue
            }
        self.init(isFolder: entry.isFolder, number: number, name: entry.name, storeID: entry.storeID ?? "")
    }

    private init(isFolder: Bool, number: Int64?, name: String, storeID: String) {
        self.isFolder = isFolder
        self.number = number
        self.name = name
        nameKey = name.nfc.caseFolded
        self.storeID = storeID
    }

    /// Whether this position stands before another one.
    func isBefore(_ other: DriveEntryPosition, in order: DriveOrder) -> Bool {
        if isFolder != other.isFolder { return isFolder }
        let (first, second) = order.isDescending ? (other, self) : (self, other)
        if number != other.number {
            // Entries without the number stand behind all others, in both orders.
            guard let number, let otherNumber = other.number else { return number != nil }
            return order.isDescending ? otherNumber < number : number < otherNumber
        }
        // Equal numbers keep the order of names, whichever way the numbers go.
        let (left, right) = order.key == .name ? (first, second) : (self, other)
        if left.nameKey != right.nameKey { return left.nameKey < right.nameKey }
        return (left.name, left.storeID) < (right.name, right.storeID)
    }

    // MARK: Cursors

    /// NUL stands in no name.
    private static let separator: Character = "\0"

    /// The text from which `init?(cursor:in:)` makes this position again.
    func cursor(in order: DriveOrder) -> String {
        [order.word, isFolder ? "d" : "f", number.map(String.init) ?? "", name, storeID]
            .joined(separator: String(Self.separator))
    }

    /// Nil for a cursor of another order.
    init?(cursor: String, in order: DriveOrder) {
        let words = cursor.split(separator: Self.separator, maxSplits: 4, omittingEmptySubsequences: false)
        guard words.count == 5, words[0] == order.word else { return nil }
        self.init(
            isFolder: words[1] == "d", number: Int64(words[2]), name: String(words[3]), storeID: String(words[4]))
    }
}
