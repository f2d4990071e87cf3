import FundCore

/// Closes the cursors of lists: what a store writes into one (numbers of all users' things, names) is no client's affair, and none
/// can make one. Bound to the user and the list.
struct CursorSeal: Sendable {
    private let seal: ContextSeal

    init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail list cursors") }

    func seal(_ cursor: String, of list: String, for user: User.ID) throws -> String {
        SecureBytes.base64URL(try seal.seal(Array(cursor.utf8), in: Self.context(list, user)))
    }

    /// Nil when it is none, or another user's or list's.
    func open(_ text: String, of list: String, for user: User.ID) -> String? {
        SecureBytes.bytes(base64URL: text)
            .flatMap { seal.open($0, in: Self.context(list, user)) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func context(_ list: String, _ user: User.ID) -> [UInt8] {
        withUnsafeBytes(of: user.bigEndian) { Array($0) } + Array(list.utf8)
    }
}
