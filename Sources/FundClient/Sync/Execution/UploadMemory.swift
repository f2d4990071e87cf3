/// Addresses of uploads that are under way, kept for runs after a kill. An upload whose address cannot be kept begins
/// anew.
struct UploadMemory: Sendable {
    let state: SyncState

    subscript(name: String) -> String? { (try? state.setting(name)) ?? nil }

    /// - Parameter address: nil forgets it.
    func set(_ address: String?, for name: String) {
        if let address { try? state.set(name, to: address) } else { try? state.removeSetting(name) }
    }
}
