import FundCore

/// A blob that is missing or damaged, found by its row.
struct BrokenBlob: Sendable {
    var id: BlobRows.ID
    var digest: ContentDigest
    var kind: VerifyFinding.Kind
    /// Path of its segment in the store.
    var path: String
    var detail: String

    /// The finding of `verify` about it.
    func finding(_ action: VerifyFinding.Action, _ detail: String? = nil) -> VerifyFinding {
        VerifyFinding(kind: kind, path: path, digest: digest, action: action, detail: detail ?? self.detail)
    }
}
