internal import Glibc
import FundCore

extension StoreLayout {
    /// Moves a file of the store to `lost/`, under a name that is free there. Gives its new path in the store.
    ///
    /// - Parameter path: in the store, as `log/000003.seg`.
    func moveToLost(_ path: String, owner: FileOwner?) throws -> String {
        let target = try freePlaceInLost(for: path, owner)
        guard rename("\(root)/\(path)", target) == 0 else { throw SpoolError("move to lost", path) }
        return inStore(target)
    }

    /// Gives a file of the store a second name in `lost/`: what stands in it stays when the first one goes. Where the
    /// file system knows no second names it becomes a copy.
    func keepInLost(_ path: String, owner: FileOwner?) throws -> String {
        let target = try freePlaceInLost(for: path, owner)
        if link("\(root)/\(path)", target) == 0 { return inStore(target) }
        let descriptor = Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", target) }
        defer { close(descriptor) }
        do {
            try owner?.take(descriptor, path: target)
            try FileBytes.read("\(root)/\(path)") { try SpoolWriter.writeAll($0, to: descriptor, path: target) }
            guard fsync(descriptor) == 0 else { throw SpoolError("sync", target) }
        } catch {
            unlink(target)
            throw error
        }
        return inStore(target)
    }

    private func freePlaceInLost(for path: String, _ owner: FileOwner?) throws -> String {
        try DiskDirectory.make(lost, isPrivate: true, owner: owner)
        let name = path.split(separator: "/").joined(separator: "-")
        var target = "\(lost)/\(name)"
        var status = stat()
        while lstat(target, &status) == 0 { target = "\(lost)/\(SpoolDirectory.uniqueName(prefix: name))" }
        return target
    }

    private func inStore(_ path: String) -> String { String(path.dropFirst(root.count + 1)) }
}
