internal import CLinux
internal import Glibc

/// Disk space that a program takes with what it writes.
package enum ScratchUsage {
    /// Bytes of the files in a folder.
    package static func bytes(in folder: String) -> Int64 { fundmail_tree_bytes(folder) }

    /// Upper bound for the bytes of deleted files beneath a folder that the processes of a child's group still have
    /// open or mapped.
    package static func namelessBytes(of child: ChildHandle, in folder: String) -> Int64 {
        fundmail_nameless_bytes(child.pid, folder)
    }

    /// Locks a folder until the descriptor is closed (flock(2)). False when another process holds it.
    package static func hold(_ folder: Int32) -> Bool { fundmail_hold(folder) != 0 }
}
