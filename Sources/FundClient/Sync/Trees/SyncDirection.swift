/// The side of a synchronization that follows the other.
public enum SyncDirection: String, Sendable, Hashable, Codable, CaseIterable {
    case both
    /// Changes on the server come here; changes here stay here.
    case down
    /// Changes here go to the server; changes there stay there.
    case up
}
