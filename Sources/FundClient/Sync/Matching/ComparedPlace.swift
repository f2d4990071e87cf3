/// A local folder, with the row and the folder on the server that are the same.
final class ComparedPlace {
    /// Nil for the kept folder itself.
    let parent: ComparedPlace?
    let name: String
    let status: FileStatus?
    /// Row of the folder from when both sides were in step.
    let base: BaseRow.ID?
    let remote: RemoteKey?
    /// Neither this side's folder nor the other's was there then.
    let isNew: Bool
    /// New, and left out until another look.
    let isDeferred: Bool
    /// Number in `FolderTimes`.
    var number: Int?
    /// Index in the local tree, when a plan needs it.
    var node: Int?

    init(
        _ name: String, _ status: FileStatus?, in parent: ComparedPlace?, base: BaseRow.ID?, remote: RemoteKey?,
        isNew: Bool = false, isDeferred: Bool = false
    ) {
        (self.name, self.status, self.parent) = (name, status, parent)
        (self.base, self.remote, self.isNew, self.isDeferred) = (base, remote, isNew, isDeferred)
    }

    var isTop: Bool { parent == nil }

    /// Whether new things in it may wait: the folder itself is on both sides and stays there, or is new, too.
    var mayDefer: Bool { isTop || isNew || base != nil && remote != nil }

    /// Names from the kept folder on.
    var names: [String] {
        var (names, current): ([String], ComparedPlace) = ([], self)
        while let parent = current.parent {
            names.append(current.name)
            current = parent
        }
        return names.reversed()
    }
}
