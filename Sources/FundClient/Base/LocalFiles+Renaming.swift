internal import Foundation

extension LocalFiles {
    /// Gives a file another name, in place of the file that has it.
    static func rename(_ old: String, replacing new: String) throws(ClientError) {
        guard Foundation.rename(old, new) == 0 else { throw ClientError(errno: errno, new) }
    }

    /// Gives a file or a folder another name. Fails with `isNameTaken` when something has that name.
    /// - Parameter taking: calls what it gets, which takes the new name by an empty file for the moment of the rename.
    ///   Only where a file system has no other way.
    static func renameExclusively(
        _ old: String, to new: String,
        taking: (() throws(ClientError) -> Void) throws(ClientError) -> Void = { (take) throws(ClientError) in
            try take()
        }
    ) throws(ClientError) {
        guard let error = rename(old, new, .exclusive) else { return }
        guard error.isUnsupported else { throw error }
        if try status(old).kind != .folder {
            // Such file systems still refuse a second name that is taken.
            if link(old, new) == 0 { return try remove(old) }
            let error = ClientError(errno: errno, new)
            guard error.isUnsupported else { throw error }
            // Without links the name is taken by an empty file, which the rename replaces.
            try taking { () throws(ClientError) in try renameByPlaceholder(old, to: new) }
        } else {
            if try existing(new) != nil { throw ClientError(errno: EEXIST, new) }
            try rename(old, replacing: new)
        }
    }

    private static func renameByPlaceholder(_ old: String, to new: String) throws(ClientError) {
        _ = try OpenFile(new, .create, rights: 0o666)
        do { try rename(old, replacing: new) } catch {
            try? remove(new)
            throw error
        }
    }

    /// Exchanges the names of two files, in one step where the file system can. False where it can neither do that nor
    /// make a link: then nothing has happened.
    static func exchange(_ first: String, _ second: String) throws(ClientError) -> Bool {
        guard let error = rename(first, second, .exchange) else { return true }
        guard error.isUnsupported else { throw error }
        // At every moment the second name leads to a complete file, and the old one has a name, too.
        let kept = "\(first).old"
        guard link(second, kept) == 0 else {
            let error = ClientError(errno: errno, second)
            guard error.isUnsupported else { throw error }
            return false
        }
        try rename(first, replacing: second)
        try rename(kept, replacing: first)
        return true
    }

    private enum Mode { case exclusive, exchange }

    #if canImport(Darwin)
        private static func rename(_ old: String, _ new: String, _ mode: Mode) -> ClientError? {
            let flag = UInt32(mode == .exclusive ? RENAME_EXCL : RENAME_SWAP)
            return renamex_np(old, new, flag) == 0 ? nil : ClientError(errno: errno, new)
        }
    #else
        private typealias Rename =
            @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

        /// renameat2(2), in glibc since 2.28; its header shows it only with GNU extensions.
        private static let renameat2: Rename? = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Rename.self) }

        /// Renames with the conditions of renameat2(2); returns the failure.
        private static func rename(_ old: String, _ new: String, _ mode: Mode) -> ClientError? {
            guard let renameat2 else { return ClientError(errno: ENOSYS, new) }
            let flag: UInt32 = mode == .exclusive ? 1 : 2  // RENAME_NOREPLACE, RENAME_EXCHANGE
            return renameat2(AT_FDCWD, old, AT_FDCWD, new, flag) == 0 ? nil : ClientError(errno: errno, new)
        }
    #endif
}
