internal import Glibc
import FundCore

extension StoreLocation {
    /// Moves a file of the store to `lost/`, under a name that is free there. Gives its new name in the store.
    ///
    /// - Parameter name: in the store, as `log/000003.seg`.
    func moveToLost(_ name: String, owner: FileOwner?) throws -> String {
        let target = try freeNameInLost(for: name, owner)
        guard rename(path(name), path(target)) == 0 else { throw DiskError("move to lost", name) }
        return target
    }

    /// Gives a file of the store a second name in `lost/`: what stands in it stays when the first one goes. Where the
    /// file system knows no second names it becomes a copy.
    func keepInLost(_ name: String, owner: FileOwner?) throws -> String {
        let target = try freeNameInLost(for: name, owner)
        if link(path(name), path(target)) != 0 {
            try DiskFile.copy(path(name), to: path(target), owner: owner, isNew: true)
        }
        return target
    }

    private func freeNameInLost(for name: String, _ owner: FileOwner?) throws -> String {
        try DiskDirectory.make(lost, isPrivate: true, owner: owner)
        let base = name.split(separator: "/").joined(separator: "-")
        var target = "\(Self.lostName)/\(base)"
        while DiskFile.kind(of: path(target)) != nil {
            target = "\(Self.lostName)/\(DiskDirectory.uniqueName(prefix: base))"
        }
        return target
    }
}
