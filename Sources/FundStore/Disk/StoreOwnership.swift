internal import Glibc
import FundCore

/// The owners of a store's files. A file that root made in the store of another user cannot be used by that user.
package enum StoreOwnership {
    /// One sentence for people, without a full stop, with the command that mends it; nil when all belongs to one user
    /// who may use it. Thorough: every file is looked at; else only those at the top and the folders.
    package static func problem(of store: String, isThorough: Bool) -> String? {
        problem(of: store, isThorough: isThorough, user: geteuid())
    }

    static func problem(of store: String, isThorough: Bool, user: uid_t) -> String? {
        guard let folder = owner(of: store) else { return nil }
        guard user == 0 || folder == user else {
            return
                "\(store) belongs to \(name(folder)), and this is run as \(name(user)): run it as "
                + "\(name(folder)), or once `sudo chown -R \(name(user)): \(store)`"
        }
        var (count, example) = (0, (path: "", user: uid_t(0)))
        func look(at path: String) {
            guard let found = owner(of: path), found != folder else { return }
            if count == 0 { example = (path, found) }
            count += 1
        }
        func walk(_ path: String, depth: Int) {
            for name in (try? DiskDirectory.names(in: path)) ?? [] {
                let entry = "\(path)/\(name)"
                let isFolder = DiskFile.isFolder(entry)
                if isThorough || isFolder || depth == 0 { look(at: entry) }
                if isFolder, depth < 2, isThorough || depth == 0 { walk(entry, depth: depth + 1) }
            }
        }
        walk(store, depth: 0)
        guard count > 0 else { return nil }
        let others = count > 1 ? " and \(count - 1) more belong" : " belongs"
        return "\(example.path)\(others) to \(name(example.user)), while the store is of \(name(folder)); run "
            + "`sudo chown -R \(name(folder)): \(store)`"
    }

    private static func owner(of path: String) -> uid_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_uid : nil
    }

    private static func name(_ user: uid_t) -> String { UserName.of(user) }
}
