internal import Glibc

/// A failure of the file system under the spool or the store.
package struct DiskError: OperationalError, Sendable, CustomStringConvertible {
    package var operation: String
    package var path: String
    /// `errno`, see errno(3).
    package var code: Int32

    package init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// The disk is full, or a quota or a file size limit is reached: space must be made before anything goes on.
    package var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

    package var condition: ErrorCondition { isOutOfSpace ? .outOfSpace : .storage }
    package var isTemporary: Bool { true }

    package var description: String {
        "\(operation) \(path): \(SystemText.of(code))\(ownerHint)\(inodeHint)"
    }

    /// A disk can have bytes left and no room for another file.
    private var inodeHint: String {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        return code == ENOSPC && DiskInodes.areUsedUp(at: folder) ? "; \(DiskInodes.advice)" : ""
    }

    /// The owner of a file that is not permitted: `sudo` is the usual reason.
    private var ownerHint: String {
        guard [EACCES, EPERM].contains(code) else { return "" }
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        for place in [path, folder] {
            var status = stat()
            guard lstat(place, &status) == 0 else { continue }
            guard status.st_uid != geteuid() else { return "" }
            return "; \(place == path ? "it" : place) belongs to \(UserName.of(status.st_uid))"
        }
        return ""
    }
}
