internal import Foundation
internal import Glibc

/// A user who may not do everything, as whom root lets programs run.
package enum OtherUser {
    private static let id: uid_t = 65534
    /// Words in front of a program.
    package static let prefix = ["setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups"]

    /// Only root can act for another user, who must be able to reach the programs of this build.
    package static let isPossible: Bool = {
        guard getuid() == 0 else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = prefix + [BuiltProgram().path, "--version"]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Makes the user the owner of a file or folder and of all that is in it.
    package static func give(_ path: String) {
        for name in [""] + (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []) {
            chown("\(path)/\(name)", id, id)
        }
    }
}
