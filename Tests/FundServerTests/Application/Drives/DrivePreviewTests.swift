import FundCore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Copies of files that people look at: few, for a while, and none of a drive that is gone.
final class DrivePreviewTests: Sendable {
    private struct Copy: TransientFile {
        let info = FileInfo(.text)
        let size: Int64 = 1
        let number: Int

        func picture(_ kind: RenditionKind, page: Int) throws -> [UInt8] { throw RenditionFailure.unsupported }
        func words(page: Int) -> [UInt8] { [] }
        func fields() throws -> FileFields { throw RenditionFailure.unsupported }
    }

    private let made = Mutex(0)

    private static func place(_ name: String, user: User.ID = 1, drive: Drive.ID = 1) -> DrivePreviews.Place {
        DrivePreviews.Place(user: user, drive: drive, path: DrivePath(name) ?? .top)
    }

    /// The number of the copy.
    private func look(_ previews: DrivePreviews, _ place: DrivePreviews.Place, _ mark: String = "1") async throws
        -> Int?
    {
        let number = made.withLock { number in
            number += 1
            return number
        }
        let file = try await previews.file(place, mark, waitingAtMost: .seconds(10)) { Copy(number: number) }
        return (file as? Copy)?.number
    }

    @Test
    func aFileIsCopiedOnceForEachState() async throws {
        let previews = DrivePreviews()
        #expect(try await look(previews, Self.place("a")) == 1)
        #expect(try await look(previews, Self.place("a")) == 1)
        #expect(try await look(previews, Self.place("a"), "2") == 3)
        #expect(previews.known(Self.place("a")) != nil && previews.known(Self.place("a", user: 2)) == nil)
        previews.forget(1)
        #expect(previews.known(Self.place("a")) == nil && previews.count == 0)
    }

    @Test
    func theOldestMakesRoom() async throws {
        let previews = DrivePreviews()
        for name in ["a", "b", "c"] { _ = try await look(previews, Self.place(name)) }
        #expect(previews.count == DrivePreviews.maxOfUser && previews.known(Self.place("a")) == nil)
        for user in 2...9 { _ = try await look(previews, Self.place("a", user: User.ID(Int64(user)))) }
        #expect(previews.count == DrivePreviews.maxOfAll)
    }

    @Test
    func aFailureIsSaidOnceAndTriedAgain() async throws {
        let previews = DrivePreviews()
        await #expect(throws: RenditionFailure.encrypted) {
            _ = try await previews.file(Self.place("a"), "1", waitingAtMost: .seconds(10)) {
                throw RenditionFailure.encrypted
            }
        }
        #expect(previews.count == 0)
        #expect(try await look(previews, Self.place("a")) == 1)
    }

    /// A copy on its way is not waited for longer than asked, and ends with its drive.
    @Test
    func aCopyOnItsWayEndsWithItsDrive() async throws {
        let previews = DrivePreviews()
        let ended = Signal()
        let file = try await previews.file(Self.place("a"), "1", waitingAtMost: .zero) {
            defer { ended.raise() }
            await untilCancelled()
            throw CancellationError()
        }
        #expect(file == nil && previews.count == 1)
        previews.forget(1)
        _ = try await ended.count(after: 0)
        #expect(previews.count == 0)
    }

    @Test
    func aCopyGoesThatIsNotAskedFor() async throws {
        let previews = DrivePreviews(lifetime: .milliseconds(20))
        _ = try await look(previews, Self.place("a"))
        try await eventually { previews.count == 0 }
    }
}
