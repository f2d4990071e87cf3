/// The finding of a scanner for malware about a content. `infected` keeps it from people, and `limit` and `unscanned`
/// do where the store holds what was not scanned.
package enum Verdict: Sendable, Hashable {
    case clean
    /// - Parameter name: of the malware, as the scanner calls it.
    case infected(name: String)
    /// Above limits of the scanner: not all of it was looked at, or nothing.
    case limit
    /// It has a password, without which its contents cannot be looked at.
    case encrypted
    /// The scanner cannot be asked; it is asked again.
    /// - Parameter problem: in words for an administrator.
    case unscanned(problem: String)

    /// Name of the verdict in the store and in metrics.
    package var word: String {
        switch self {
        case .clean: "clean"
        case .infected: "infected"
        case .limit: "limit"
        case .encrypted: "encrypted"
        case .unscanned: "unscanned"
        }
    }
}
