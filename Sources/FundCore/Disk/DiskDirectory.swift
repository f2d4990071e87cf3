internal import Glibc
internal import Synchronization

/// Directories of the file system: mkdir(2) and readdir(3).
package enum DiskDirectory {
    /// Makes a folder that may exist. A private one gets mode 0700 whatever the umask. One that exists keeps its owner.
    package static func make(_ path: String, isPrivate: Bool, owner: FileOwner? = nil) throws(DiskError) {
        if mkdir(path, isPrivate ? 0o700 : 0o777) == 0 {
            guard !isPrivate || chmod(path, 0o700) == 0 else { throw DiskError("set the mode of", path) }
            try owner?.take(folder: path)
        } else if errno != EEXIST {
            throw DiskError("create", path)
        }
    }

    /// Makes all that is missing on the way to `path`, like `mkdir -p`. What exists keeps its mode.
    package static func makeAll(upTo path: String, isPrivate: Bool) throws(DiskError) {
        var parent = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            parent += "/\(name)"
            try make(parent, isPrivate: isPrivate)
        }
    }

    /// Names in a folder, without `.` and `..`; sorted by bytes, so that runs and reports come out alike.
    package static func names(in folder: String) throws(DiskError) -> [String] {
        guard let stream = opendir(folder) else { throw DiskError("list", folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Removes a file, or a folder with all that is in it, and follows no link. Nothing happens where nothing is.
    package static func removeTree(_ path: String) throws(DiskError) {
        // A link to a folder is removed here; a folder is not.
        if unlink(path) == 0 || errno == ENOENT { return }
        guard errno == EISDIR else { throw DiskError("remove", path) }
        for name in try names(in: path) { try removeTree("\(path)/\(name)") }
        guard rmdir(path) == 0 || errno == ENOENT else { throw DiskError("remove", path) }
    }

    /// The path of a directory without links, or of its nearest ancestor that exists; nil when there is none.
    package static func realPath(_ path: String) -> String? {
        var path = path
        while !path.isEmpty {
            if let real = realpath(path, nil) {
                defer { free(real) }
                return String(cString: real)
            }
            guard let slash = path.lastIndex(of: "/") else { return realPath(".") }
            path = slash == path.startIndex && path != "/" ? "/" : String(path[..<slash])
        }
        return nil
    }

    /// A name that is unique on this machine: the prefix, 128 random bits for the process, and a number.
    package static func uniqueName(prefix: String) -> String {
        let number = counter.add(1, ordering: .relaxed).newValue
        return "\(prefix)-\(processName)-\(String(number, radix: 16))"
    }

    private static let counter = Atomic<UInt64>(0)

    private static let processName: String = {
        var generator = SystemRandomNumberGenerator()
        let (high, low): (UInt64, UInt64) = (generator.next(), generator.next())
        return String(high, radix: 16) + String(low, radix: 16)
    }()
}
