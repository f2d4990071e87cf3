/// Notes about empty files that take names for the moment of a rename, on file systems without another way
/// (`LocalFiles.renameExclusively`): a kill leaves such a file, which must not pass for the user's.
struct Placeholders: Sendable {
    /// Longest time between a note and its placeholder, which are two calls; nanoseconds. Some disks keep two seconds
    /// as one.
    private static let longestGap: Int64 = 4_000_000_000
    private static let maxNoteBytes = 64 * 1024

    /// The kept folder, without a slash at its end.
    let root: String
    /// The folder of the notes.
    let folder: String

    /// Calls `take`, which takes the name `new` for the rename of `old`, under a note of both. Where no note can be
    /// written, as on a full disk, without one: the rename may bring a file of the user back.
    func noting(
        _ old: String, to new: String, _ take: () throws(ClientError) -> Void
    ) throws(ClientError) {
        let note = "\(folder)/\(try LocalFiles.status(old).inode)"
        defer { try? LocalFiles.remove(note) }
        try? write(note, Array("\(relative(old))\0\(relative(new))".utf8))
        try take()
    }

    private func write(_ note: String, _ bytes: [UInt8]) throws(ClientError) {
        do { try LocalFiles.makeFolder(folder, rights: 0o700) } catch { if !error.isNameTaken { throw error } }
        // A note that a run left was read when this one began.
        try LocalFiles.remove(note)
        let file = try OpenFile(note, .create)
        try file.write(bytes, at: 0)
        try file.flush()
    }

    /// Calls `body` with each placeholder that a killed run left, by the names in its path; forgets it then.
    func eachLeft(_ body: (_ names: [String]) throws -> Void) {
        for name in LocalFiles.names(in: folder) {
            let note = "\(folder)/\(name)"
            if let path = placeholder(of: note) {
                do { try body(path.split(separator: "/").map(String.init)) } catch { continue }
            }
            try? LocalFiles.remove(note)
        }
    }

    /// The new path of a note, below the root, if a placeholder has it: an empty file that was made when the note was,
    /// and what was to be renamed still has its old name. Nil where there is none, or the user's file.
    private func placeholder(of note: String) -> String? {
        guard let written = try? LocalFiles.status(note),
            let bytes = try? OpenFile(note, .read).read(Self.maxNoteBytes, at: 0)
        else { return nil }
        let paths = String(decoding: bytes, as: UTF8.self).split(separator: "\0").map(String.init)
        guard paths.count == 2, (try? LocalFiles.status("\(root)/\(paths[0])")) != nil,
            let status = try? LocalFiles.status("\(root)/\(paths[1])"), status.kind == .file, status.size == 0,
            abs(status.changed - written.changed) <= Self.longestGap
        else { return nil }
        return paths[1]
    }

    private func relative(_ path: String) -> Substring { path.dropFirst(root.count + 1) }
}
