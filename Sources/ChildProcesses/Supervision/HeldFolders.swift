internal import CLinux
internal import FundCore
internal import Glibc

/// Temporary folders that the processes which use them hold by a lock (flock(2)), so that those are known whose
/// processes were killed.
package struct HeldFolders: Sendable {
    /// Suffix of a folder that is not locked yet.
    private static let draftSuffix = ".new"
    /// A draft of this age has no process any more.
    private static let maxDraftSeconds = 60
    /// The names end in two numbers of `DiskDirectory.uniqueName`, of which the first has up to 32 digits and seldom
    /// less than 28. A person's own folder with the prefix has none.
    private static let leastDigits = 24

    private let parent: String
    private let prefix: String

    /// - Parameters:
    ///   - parent: the folder in which they lie, which others may write to.
    ///   - prefix: what their names begin with.
    package init(in parent: String, prefix: String) { (self.parent, self.prefix) = (parent, prefix) }

    /// A path for a new one.
    package func newPath() -> String { "\(parent)/\(DiskDirectory.uniqueName(prefix: prefix))" }

    /// Makes a private folder at a path of `newPath`, and holds it as long as this process lives. False, with errno,
    /// when that cannot be done.
    package func make(_ path: String) -> Bool {
        let draft = path + Self.draftSuffix
        guard mkdir(draft, 0o700) == 0 else { return false }
        let folder = open(draft, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0, ScratchUsage.hold(folder), rename(draft, path) == 0 else {
            let code = errno
            if folder >= 0 { close(folder) }
            rmdir(draft)
            errno = code
            return false
        }
        return true
    }

    /// Removes those of this user whose processes are gone.
    /// - Parameter remove: removes a folder with all that is in it.
    package func removeLeft(_ remove: (_ path: String) -> Void) {
        for name in (try? DiskDirectory.names(in: parent)) ?? [] where isOne(name) {
            let path = "\(parent)/\(name)"
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { continue }
            defer { close(folder) }
            var status = stat()
            guard fstat(folder, &status) == 0, status.st_uid == geteuid() else { continue }
            if name.hasSuffix(Self.draftSuffix), time(nil) - status.st_mtim.tv_sec < Self.maxDraftSeconds { continue }
            if ScratchUsage.hold(folder) { remove(path) }
        }
    }

    private func isOne(_ name: String) -> Bool {
        guard name.hasPrefix(prefix + "-") else { return false }
        let rest = name.hasSuffix(Self.draftSuffix) ? name.dropLast(Self.draftSuffix.count) : name[...]
        let numbers = rest.dropFirst(prefix.count + 1).split(separator: "-", omittingEmptySubsequences: false)
        return numbers.count == 2 && numbers[0].count >= Self.leastDigits
            && numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { ASCII.hexValue($0) != nil } }
    }
}
