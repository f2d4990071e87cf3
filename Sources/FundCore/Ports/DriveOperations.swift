/// The operations of a drive, whatever its store is. Each call is about a drive of the user, else `DriveError` with
/// `notFound`. Errors are `DriveError`, and `StoreError` where the store of this program fails. Cancelling the task
/// ends the operation at once.
package protocol DriveOperations: Sendable {
    /// The reason why drives are off, in words for an administrator; nil where they are on.
    var offReason: String? { get }
    /// The kinds that the administrators allow.
    var kinds: [DriveKind] { get }
    /// Tries settings before they are kept: lists the top.
    func check(_ settings: DriveSettings) async throws
    /// The entries of a folder, in the order of the store; also those with names that no path can have.
    func entries(in folder: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> [DriveEntry]
    /// The entry of a path. Throws `notFound` where nothing stands.
    func entry(at path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> DriveEntry
    /// The entry of a path at which a file stands; nil where none does: there may be a folder. Sooner than `entry`.
    func file(at path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> DriveEntry?
    /// Files and folders below a folder whose names hold a text, case aside; as many as are found within a bounded
    /// time.
    func find(
        _ text: String, below folder: DrivePath, atMost count: Int, of drive: Drive.ID, _ user: User.ID
    ) async throws -> [(path: DrivePath, entry: DriveEntry)]
    /// The room that the store tells of; empty where it tells nothing.
    func space(of drive: Drive.ID, _ user: User.ID) async throws -> DriveSpace
    /// Reads the bytes of a file from a position to its end, in pieces. An error that `take` throws ends it, and is
    /// thrown. Throws `changed` where the file does not have the size that it is known to have, or a folder has its
    /// place: bytes may have come by then.
    /// - Parameter size: the size of the whole file in bytes; nil where it is not known.
    /// - Returns: the entry as it stands after the last byte, where the store was asked for it.
    @discardableResult
    func read(
        _ path: DrivePath, from position: Int64, size: Int64?, of drive: Drive.ID, _ user: User.ID,
        take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> DriveEntry?
    /// Reads a large file from the bytes that are there to its end, into a file to which another process may append.
    /// Throws and returns as `read` above.
    /// - Parameter size: the size of the whole file in bytes.
    @discardableResult
    func read(
        _ path: DrivePath, size: Int64, of drive: Drive.ID, _ user: User.ID, into file: any GrowingFile
    ) async throws -> DriveEntry?
    /// Writes a file of exactly `size` bytes: under a name of its own first, so that nothing torn ever stands under
    /// this one. Throws `alreadyExists` where something stands by then; a store that takes files whole by itself
    /// replaces it.
    /// - Parameter fill: fills the buffer from its beginning and returns the number of bytes; 0 at the end.
    func write(
        _ path: DrivePath, size: Int64, of drive: Drive.ID, _ user: User.ID,
        fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws -> Int
    ) async throws
    /// Makes a folder; one that is there is left as it is.
    func makeFolder(_ path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws
    /// Moves and renames a file or folder. Throws `alreadyExists` where something stands.
    func move(_ path: DrivePath, to target: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws
    /// Removes a file, or a folder with all that is in it.
    func remove(_ path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws
}
