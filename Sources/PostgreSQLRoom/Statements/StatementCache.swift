/// The prepared statements of one session, by their numbered text and the types of their arguments.
struct StatementCache {
    /// Bound on the memory that they take in the server, some 50 KiB each.
    static let maxCount = 1_000

    private struct Variant {
        let name: String
        let types: [PostgreSQLType]

        /// NULL goes with any type.
        func takes(_ other: [PostgreSQLType]) -> Bool {
            zip(types, other).allSatisfy { $0 == $1 || $1 == .inferred }
        }
    }

    private let spelling: @Sendable (String) -> String
    private var texts: [Key: PlaceholderText] = [:]
    private var variants: [String: [Variant]] = [:]
    private var lastNumber = 0
    private(set) var count = 0

    /// - Parameter spelling: see `PostgreSQLSession.init`.
    init(_ spelling: @escaping @Sendable (String) -> String) { self.spelling = spelling }

    /// A text, and the arguments that are NULL and that it compares with it.
    private struct Key: Hashable {
        let sql: String
        let nulls: Set<Int>
    }

    /// The text with numbered placeholders.
    ///
    /// - Parameter nulls: see `PlaceholderText.init`.
    mutating func text(of sql: String, nulls: Set<Int> = []) -> PlaceholderText {
        let key = Key(sql: sql, nulls: nulls)
        if let known = texts[key] { return known }
        let text = PlaceholderText(spelling(sql), nulls: nulls)
        if texts.count >= Self.maxCount { texts = [:] }
        texts[key] = text
        return text
    }

    /// The name of a prepared statement that takes arguments of these types; nil where there is none yet.
    ///
    /// - Parameter sql: the text as it is sent.
    func name(of sql: String, _ types: [PostgreSQLType]) -> String? {
        variants[sql]?.first { $0.takes(types) }?.name
    }

    /// A new name for a statement that will be prepared.
    mutating func newName() -> String {
        lastNumber += 1
        return "fundmail_\(lastNumber)"
    }

    mutating func note(_ name: String, of sql: String, _ types: [PostgreSQLType]) {
        variants[sql, default: []].append(Variant(name: name, types: types))
        count += 1
    }

    /// Forgets all that were prepared.
    mutating func removeAll() { (variants, count) = ([:], 0) }
}
