/// Tells when something in a folder changes: what the platform has for it.
public protocol FolderWatching: Sendable {
    /// An element soon after each change below the folder; several changes may come as one. What happens in `.fund` of
    /// the folder is no change. Ends when its task does, or when it cannot go on: then only looking now and then helps.
    func changes(in folder: String) -> AsyncStream<Void>
}
