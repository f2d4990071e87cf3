/// The file of an upload to which another process appends the bytes by itself. They are taken, counted and hashed
/// behind it, so that they need no pipe and are copied once.
package protocol GrowingFile: AnyObject, Sendable {
    /// Bytes of the content that were taken so far.
    var size: Int64 { get }
    /// Opens the file for a process, behind the bytes that were taken; what came besides is cut off. `endGrowing` has
    /// to follow. Throws `StoreError`. Blocks.
    func beginGrowing() throws -> GrowingEnd
    /// Takes some of the bytes that were appended. Throws `StoreError`, with `outOfSpace` when they do not fit beside
    /// other uploads, and `DriveError` with `changed` when there are more than the content has. Blocks.
    /// - Returns: the number of bytes; 0 while too few are there.
    func takeGrown() throws -> Int
    /// Closes the file, waits until no process has it open, and takes the rest. The process has ended, or is about to.
    /// Throws as `takeGrown`, and `StoreError` with `held` when a process keeps the file open. Blocks.
    func endGrowing() throws
}
