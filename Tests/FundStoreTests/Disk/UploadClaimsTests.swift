import TestSupport
import FundCore
import Synchronization
import Testing

@testable import FundStore

/// All uploads under way together are held against what is free.
@Suite struct UploadClaimsTests {
    private let claims = UploadClaims()
    private let start = ContinuousClock.now

    private func add(
        _ bytes: Int64?, after seconds: Int = 0, room: Int64 = 100, release: @escaping @Sendable () -> Void = {}
    )
        throws -> UploadClaims.ID
    {
        try claims.add(announcing: bytes, now: start + .seconds(seconds), room: { room }, release: release)
    }

    private func expectRefusal(_ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? StoreError)?.code == .outOfSpace }
    }

    @Test func whatIsAnnouncedIsHeldAgainstTheOthers() throws {
        let first = try add(60)
        expectRefusal { _ = try add(41) }
        _ = try add(40)
        // One that does not say how much comes gets what the others leave.
        let open = try add(nil)
        expectRefusal { try claims.grow(open, by: 1, now: start, room: { 100 }) }
        claims.remove(first)
        try claims.grow(open, by: 60, now: start, room: { 100 })
        expectRefusal { try claims.grow(open, by: 1, now: start, room: { 40 }) }
    }

    @Test func whatCameIsOnTheDiskAndNoLongerClaimed() throws {
        let first = try add(60)
        try claims.grow(first, by: 50, now: start, room: { 100 })
        _ = try add(40, room: 50)
        expectRefusal { _ = try add(1, room: 50) }
        try claims.finish(first)
        _ = try add(1, room: 50)
    }

    /// Another program may take the disk: what was announced is then no right.
    @Test func aClaimIsNoRoom() throws {
        let first = try add(60)
        expectRefusal { try claims.grow(first, by: 10, now: start, room: { 9 }) }
    }

    @Test func slowOnesLoseTheirRoomOnlyWhenItIsShort() throws {
        let released = Mutex(0)
        let slow = try add(90) { released.withLock { $0 += 1 } }
        expectRefusal { _ = try add(20, after: 29) }
        _ = try add(10, after: 3000)
        #expect(released.withLock { $0 } == 0)
        _ = try add(20, after: 31)
        #expect(released.withLock { $0 } == 1)
        expectRefusal { try claims.grow(slow, by: 1, now: start, room: { 100 }) }
        expectRefusal { try claims.finish(slow) }
    }

    @Test(
        arguments: [
            // Bytes that came in 100 seconds, of how many, and whether that is too slow.
            (6_400_000, 1_000_000_000, true), (6_600_000, 200_000_000, false), (6_600_000, 1_000_000_000, true),
            (100_000_000, 3_000_000_000, false),
        ] as [(Int64, Int64, Bool)])
    func slowIsWhatTakesAnHour(_ received: Int64, _ announced: Int64, _ isSlow: Bool) throws {
        let room: Int64 = 4_000_000_000
        let id = try add(announced, room: room)
        try claims.grow(id, by: received, now: start, room: { room })
        let more = { _ = try add(room, after: 100, room: room) }
        if isSlow { try more() } else { expectRefusal(more) }
    }

    @Test func aFinishedOneIsNotSlow() throws {
        let id = try add(90)
        try claims.grow(id, by: 90, now: start, room: { 100 })
        try claims.finish(id)
        expectRefusal { _ = try add(20, after: 3000, room: 10) }
        try claims.finish(id)
    }
}
