internal import FundCore

/// Encrypts the cursors of lists: what the store writes into one (ids of all users' items, names) is not for clients,
/// and a client cannot make one. Bound to the user and the list.
struct CursorSeal: Sendable {
    private let seal: ContextSeal

    init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail list cursors") }

    func seal(_ cursor: String, of list: String, for user: User.ID) throws -> String {
        Base64.urlText(try seal.seal(Array(cursor.utf8), in: Self.context(list, user)))
    }

    /// Nil for text that is not a cursor of this user and list.
    func open(_ text: String, of list: String, for user: User.ID) -> String? {
        Base64.bytes(url: text)
            .flatMap { seal.open($0, in: Self.context(list, user)) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func context(_ list: String, _ user: User.ID) -> [UInt8] {
        withUnsafeBytes(of: user.rawValue.bigEndian) { Array($0) } + Array(list.utf8)
    }
}
