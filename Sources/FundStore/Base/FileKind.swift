internal import Glibc

/// Kind of a file, in words of people.
enum FileKind: String, Sendable, CustomStringConvertible {
    case file = "a file"
    case folder = "a folder"
    case link = "a symbolic link"
    case pipe = "a pipe"
    case socket = "a socket"
    case device = "a device"

    init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .device
            }
    }

    var description: String { rawValue }
}

extension StoreLayout {
    /// Kind of what stands there itself, not behind a link; nil when there is nothing.
    static func kind(of path: String) -> FileKind? {
        var status = stat()
        return lstat(path, &status) == 0 ? FileKind(status) : nil
    }

    /// Whether a folder stands there or behind a link: a log may stand on another disk.
    static func leadsToFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && FileKind(status) == .folder
    }
}
