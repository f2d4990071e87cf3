import FundCore
import Glibc

/// A folder of this machine, open. Names are looked up below it, and no symbolic link among them is followed, so that
/// nothing outside of it is read.
final class SourceFolder: Sendable {
    /// An item of a folder that can be read.
    enum Item {
        case file(SourceFile)
        case folder(SourceFolder)
    }

    /// A folder that no other has at the same time.
    struct Identity: Equatable {
        fileprivate let device: dev_t
        fileprivate let inode: ino_t
    }

    private let descriptor: Int32

    /// Opens a folder that a person named; links on the way to it count.
    init(path: String) throws(ImportRefusal) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ImportRefusal(code: errno) }
    }

    private init(_ name: String, in folder: Int32) throws(ImportRefusal) {
        descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw ImportRefusal(code: errno) }
    }

    deinit { close(descriptor) }

    /// Nil when it cannot be examined.
    var identity: Identity? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Identity(device: status.st_dev, inode: status.st_ino) : nil
    }

    /// The names in it, sorted by their bytes; those that are not UTF-8 stand apart, as they can be shown.
    func names() throws(ImportRefusal) -> (names: [String], illegible: [String]) {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw ImportRefusal(code: errno) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            throw ImportRefusal(code: code)
        }
        defer { closedir(stream) }
        var (names, illegible): ([String], [String]) = ([], [])
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { name in
                    String(validatingCString: name).map { ($0, true) } ?? (String(cString: name), false)
                }
            }
            if name.0 == "." || name.0 == ".." { continue }
            if name.1 { names.append(name.0) } else { illegible.append(name.0) }
        }
        guard errno == 0 else { throw ImportRefusal(code: errno) }
        names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return (names, illegible)
    }

    /// Opens an item. Throws for what is neither a file nor a folder, which is not even opened.
    func item(named name: String) throws(ImportRefusal) -> Item {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw ImportRefusal(code: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder(try SourceFolder(name, in: descriptor))
        case S_IFREG:
            // Another item may have its name by now: a pipe without a writer opens at once.
            let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            guard file >= 0 else { throw ImportRefusal(code: errno) }
            return .file(try SourceFile(takingOwnershipOf: file))
        case S_IFLNK: throw ImportRefusal("it is a symbolic link, which is not followed")
        default: throw ImportRefusal("it is neither a file nor a folder")
        }
    }
}
