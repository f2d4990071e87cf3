/// The server's things at one moment, to be read place by place.
protocol RemoteListing: Sendable {
    /// History of the server; nil where it is not known.
    var history: RemoteHistory? { get }
    /// Calls the body once, on this thread; what it is given is of no use afterwards. Throws what the body throws, and
    /// what a database throws.
    func read(_ body: (any RemotePlaces) throws -> Void) throws
}

/// The history of the server that a listing is of. After the server went on from an earlier state, as from a backup, it
/// has another one: neither its ids nor what both sides had can be trusted then.
struct RemoteHistory: Sendable, Hashable {
    /// The history id that the server gives; nil for a server that gives none.
    var server: String?
    /// Counts how often the server asked a catalogue to begin anew, from 1.
    var round: Int64 = 1

    /// Reads what `text` gives; nil for other text.
    init?(text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, let round = Int64(words[1]) else { return nil }
        self.init(server: words[0] == "-" ? nil : String(words[0]), round: round)
    }

    init(server: String?, round: Int64 = 1) { (self.server, self.round) = (server, round) }

    var text: String { "\(server ?? "-") \(round)" }

    /// Whether what is known by one holds in the other. A server that names its history from now on has the same.
    func isSame(as other: RemoteHistory) -> Bool {
        round == other.round && (server == nil || other.server == nil || server == other.server)
    }
}

/// All calls throw what a database throws.
protocol RemotePlaces {
    /// Nodes in a place, in the order of the bytes of the names.
    /// - Parameter parent: nil for the top.
    func children(of parent: RemoteKey?) throws -> () throws -> RemoteNode?
    /// Nil where it is not below the top.
    func node(_ key: RemoteKey) throws -> RemoteNode?
}
