internal import Foundation

/// A folder that is seen in the place of another one (mount(8), --bind); only root may make one. See
/// `SmallDisk.isPossible`.
package enum BindMount {
    package static func make(of folder: String, at place: String) throws {
        let bind: UInt = 4096  // MS_BIND, a macro that Swift does not see
        guard mount(folder, place, nil, bind, nil) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Takes it away also from what has files of it open, as `umount -l` does.
    package static func remove(at place: String) { umount2(place, 2) }  // MNT_DETACH
}
