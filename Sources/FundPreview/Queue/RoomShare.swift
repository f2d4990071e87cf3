internal import FundCore

/// Room of the disk that is taken until this value is gone.
final class RoomShare: Sendable {
    static let lack = StoreError(.outOfSpace, "preview", "the disk has no room for a copy of the file")

    private let room: CopyRoom
    private let bytes: Int64

    /// Throws `lack` where there is no room.
    init(_ bytes: Int64, of room: CopyRoom) async throws {
        guard await room.take(bytes) else { throw Self.lack }
        (self.room, self.bytes) = (room, bytes)
    }

    deinit { room.give(bytes) }
}
