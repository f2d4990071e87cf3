internal import ChildProcesses

/// The folders in which converters write without namespaces, one for each run. Its launcher holds it by a lock until it
/// has removed it.
enum LandlockScratch {
    private static let folders = HeldFolders(in: "/tmp", prefix: "fundmail-convert")

    /// A path for a new one.
    static func newPath() -> String { folders.newPath() }

    /// Makes one, and locks it as long as this process lives.
    static func make(_ path: String) -> Bool { folders.make(path) }

    /// By rm(1), which follows no link and goes as deep as a hostile program may have built.
    static func remove(_ path: String) {
        let command = ChildCommand("/bin/rm", words: ["rm", "-rf", "--", path], variables: [])
        _ = try? command.start().wait()
    }

    /// Removes those whose launchers were killed with all that could have cleaned up: files of users are in them.
    static func removeLeft() { folders.removeLeft(remove) }
}
