/// An administrator's choice of how much a person may have.
package enum StorageQuota: Sendable, Hashable {
    /// The limit that the configuration has for all (`StorageLimits.person`).
    case standard
    /// No limit, whatever the configuration has.
    case unlimited
    /// A limit of their own, in bytes; 0 lets them add nothing.
    case bytes(Int64)

    /// The word for programs.
    package var word: String {
        switch self {
        case .standard: "default"
        case .unlimited: "none"
        case .bytes: "own"
        }
    }

    /// The limit in bytes; nil for none.
    package func limit(_ limits: StorageLimits) -> Int64? {
        switch self {
        case .standard: limits.person
        case .unlimited: nil
        case .bytes(let bytes): bytes
        }
    }
}
