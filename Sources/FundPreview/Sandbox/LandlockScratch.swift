internal import ChildProcesses
internal import Glibc
import FundCore

/// The folders in which converters write without namespaces, one for each run. Its launcher holds it by a lock until it
/// has removed it.
enum LandlockScratch {
    private static let parent = "/tmp"
    private static let prefix = "fundmail-convert"
    /// Suffix of a folder that is not locked yet.
    private static let draftSuffix = ".new"
    /// A draft of this age has no launcher any more.
    private static let maxDraftSeconds = 60

    /// A path for a new one.
    static func newPath() -> String { "\(parent)/\(DiskDirectory.uniqueName(prefix: prefix))" }

    /// Makes one, and locks it as long as this process lives.
    static func make(_ path: String) -> Bool {
        let draft = path + draftSuffix
        guard mkdir(draft, 0o700) == 0 else { return false }
        let folder = open(draft, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0, ScratchUsage.hold(folder), rename(draft, path) == 0 else {
            rmdir(draft)
            return false
        }
        return true
    }

    /// By rm(1), which follows no link and goes as deep as a hostile program may have built.
    static func remove(_ path: String) {
        let command = ChildCommand("/bin/rm", words: ["rm", "-rf", "--", path], variables: [])
        _ = try? command.start().wait()
    }

    /// Removes those whose launchers were killed with all that could have cleaned up: files of users are in them.
    static func removeLeft() {
        for name in (try? DiskDirectory.names(in: parent)) ?? [] where name.hasPrefix(prefix + "-") {
            let path = "\(parent)/\(name)"
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { continue }
            defer { close(folder) }
            var status = stat()
            guard fstat(folder, &status) == 0, status.st_uid == geteuid() else { continue }
            if name.hasSuffix(draftSuffix), time(nil) - status.st_mtim.tv_sec < maxDraftSeconds { continue }
            if ScratchUsage.hold(folder) { remove(path) }
        }
    }
}
