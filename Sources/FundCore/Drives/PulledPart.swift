/// The bytes that a transfer has of one state of a file: they outlive the process that brings them, and another one
/// goes on with them.
package struct PulledPart: Sendable, Hashable {
    /// Least size of a file in bytes: a smaller one is brought anew in a moment.
    private static let leastBytes: Int64 = 8 << 20

    package let transfer: DriveTransfer.ID
    package let path: DrivePath
    /// The size of the whole file in bytes.
    package let size: Int64
    /// A text that is another one for each state of the file, as far as its store tells.
    package let state: String

    /// Nil for a small file, and where the store tells too little to know two states of it apart.
    package init?(of path: DrivePath, _ entry: DriveEntry, in transfer: DriveTransfer.ID) {
        let marks = [
            entry.version, entry.digest?.hex, entry.modifiedAt.map { "\($0)" }, entry.storeID.map { "id \($0)" },
        ]
        guard let size = entry.size, size >= Self.leastBytes, marks.prefix(3).contains(where: { $0 != nil }) else {
            return nil
        }
        (self.transfer, self.path, self.size) = (transfer, path, size)
        state = (["\(size)"] + marks.map { $0 ?? "" }).joined(separator: "\n")
    }
}
