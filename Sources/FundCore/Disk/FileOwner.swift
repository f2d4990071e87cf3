internal import Glibc

/// The user and group that new files are given to. When root works on a store that belongs to another user, that user
/// must be able to go on with what root makes there.
package struct FileOwner: Sendable, Hashable {
    private let user: uid_t
    private let group: gid_t

    /// The owner of a folder; nil when new files need no other: the process is not root, or the folder is root's.
    package init?(of folder: String) {
        var status = stat()
        guard geteuid() == 0, lstat(folder, &status) == 0, status.st_uid != 0 else { return nil }
        user = status.st_uid
        group = status.st_gid
    }

    /// For a file that this process has just created with O_EXCL, or a folder that it has made. Never for a file that
    /// was there before: its name may be a hard link to another user's file.
    package func take(_ descriptor: Int32, path: String) throws(DiskError) {
        guard fchown(descriptor, user, group) == 0 else { throw DiskError("give to the owner of the store", path) }
    }

    /// For a folder that this process has just made. Opened first, so that a link in its place is not followed.
    package func take(folder path: String) throws(DiskError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw DiskError("open", path) }
        defer { close(descriptor) }
        try take(descriptor, path: path)
    }
}
