internal import Glibc
internal import FundCore

/// Finds messages below the named paths, depth first, by name, one folder's list in memory at a time.
struct FileWalk {
    enum Found {
        case message(String)
        case mbox(String)
        case unreadable(String, SourceError)
    }

    /// A way by which a path is found.
    private enum Origin {
        /// The user named it: it is read under any name, and links are followed.
        case user
        /// It lies in `cur` or `new` of a Maildir: it is read under any name.
        case maildir
        case folder
    }

    /// To be looked at, the next one last.
    private var pending: [(path: String, origin: Origin)]
    private(set) var ignoredFiles = 0

    init(paths: [String]) { pending = paths.reversed().map { ($0, .user) } }

    mutating func next() -> Found? {
        while let (path, origin) = pending.popLast() {
            if path == "-" { return .message("/dev/stdin") }
            if let found = look(at: path, origin) { return found }
        }
        return nil
    }

    private mutating func look(at path: String, _ origin: Origin) -> Found? {
        var info = stat()
        // Links to folders are not followed below a named path: they may lead back up.
        let isLink = origin != .user && lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
        let isNamed = origin != .folder
        guard stat(path, &info) == 0 else {
            return isNamed || isMessageName(path) ? unreadable(path) : nil
        }
        switch info.st_mode & S_IFMT {
        case S_IFDIR: return isLink ? nil : enter(path)
        case S_IFREG:
            if isNamed || isMessageName(path) { return isMbox(path) ? .mbox(path) : .message(path) }
            ignoredFiles += 1
            return nil
        default:
            guard isNamed else { return nil }
            return .unreadable(path, SourceError(path: path, problem: "not a file and not a folder"))
        }
    }

    private mutating func enter(_ folder: String) -> Found? {
        let names: [String]
        do { names = try DiskDirectory.names(in: folder) } catch { return unreadable(folder, code: error.code) }
        let isMaildir = names.contains("cur") && names.contains("new")
        for name in names.reversed() {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            guard isMaildir, ["cur", "new", "tmp"].contains(name) else {
                pending.append((path, .folder))
                continue
            }
            // `tmp` holds what is still being delivered (Maildir's own rule).
            guard name != "tmp", let messages = try? DiskDirectory.names(in: path) else { continue }
            pending += messages.reversed().filter { !$0.hasPrefix(".") }.map { ("\(path)/\($0)", .maildir) }
        }
        return nil
    }

    private func unreadable(_ path: String, code: Int32 = errno) -> Found {
        .unreadable(path, SourceError(path: path, code: code))
    }

    private func isMessageName(_ path: String) -> Bool {
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        if name.utf8.allSatisfy(ASCII.isDigit) { return !name.isEmpty }
        guard let dot = name.lastIndex(of: ".") else { return false }
        return ["eml", "mbox", "mbx"].contains(name[name.index(after: dot)...].lowercased())
    }

    /// An `.eml` that begins with a `From ` line is one message cut out of an mbox.
    private func isMbox(_ path: String) -> Bool {
        guard !path.lowercased().hasSuffix(".eml"), let reader = try? FileReader(path: path) else { return false }
        return (try? MboxStart.find(in: reader)) != nil
    }
}
