internal import Foundation

/// Says that a process lives: a file that it keeps locked. Rows of the queue name it as their holder. The system gives
/// the lock free however the process ends, and no later process can have the same name, as with process numbers.
final class ProcessMark: Sendable {
    let name: String
    private let file: OpenFile

    /// - Parameters:
    ///   - folder: for the marks of all processes.
    ///   - name: a UUID that nothing else has.
    init(in folder: String, named name: String = UUID().uuidString) throws(ClientError) {
        try LocalFiles.makeFolders(folder)
        while true {
            let file = try OpenFile("\(folder)/\(name)", .create)
            // Another process may have taken it for one of a dead process, before it was locked.
            if try file.lock(), file.isStillNamed {
                (self.name, self.file) = (name, file)
                return
            }
        }
    }

    deinit { try? LocalFiles.remove(file.path) }

    /// Whether the process of that name is gone. Its mark goes, too.
    static func isGone(_ name: String, in folder: String) -> Bool {
        guard UUID(uuidString: name) != nil else { return true }
        let path = "\(folder)/\(name)"
        guard let exists = try? LocalFiles.existing(path) else { return true }
        guard exists.kind == .file, let file = try? OpenFile(path, .write), (try? file.lock()) == true else {
            return false
        }
        try? LocalFiles.remove(path)
        return true
    }

    /// Removes the marks of processes that are gone.
    static func sweep(_ folder: String) { for name in LocalFiles.names(in: folder) { _ = isGone(name, in: folder) } }
}
