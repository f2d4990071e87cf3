import TestSupport
import FundCore
import Synchronization
import Testing

@testable import FundServer

struct LockTableTests {
    private static let request = """
        <D:lockinfo xmlns:D='DAV:'><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>
        <D:owner>Ann</D:owner></D:lockinfo>
        """

    private func request(_ text: String = LockTableTests.request) throws -> LockRequest {
        try LockRequest(try MarkupReader.read(Array(text.utf8)))
    }

    /// Locks a chain for a minute.
    @discardableResult
    private func lock(
        _ chain: [LibraryItemID?], isDeep: Bool = false, of user: User.ID = 1, in table: LockTable
    ) throws -> Lock {
        try table.add(request(), on: chain, isDeep: isDeep, timeout: .seconds(60), of: user)
    }

    @Test func findsWhatHolds() throws {
        let table = LockTable()
        let deep = try lock([nil, .fund(1), .folder(1)], isDeep: true, in: table)
        let flat = try lock([nil, .fund(1)], in: table)
        func tokens(_ chain: [LibraryItemID?]) -> [String] { table.locks(on: chain, for: 1).map(\.lock.token) }
        #expect(tokens([nil, .fund(1), .folder(1)]) == [deep.token])
        #expect(tokens([nil, .fund(1), .folder(1), .file(1)]) == [deep.token])
        #expect(tokens([nil, .fund(1)]) == [flat.token])
        #expect(tokens([nil, .fund(1), .file(1)]) == [])
        #expect(table.locks(on: [nil, .fund(1), .folder(1), .file(1)], for: 1).first?.depth == 2)
        // Another interface moved the folder to another fund.
        #expect(tokens([nil, .fund(2), .folder(1)]) == [deep.token])
    }

    /// Members of a fund are barred by each other's locks, and are not helped by each other's tokens.
    @Test func holdsForAllMembersOfAFund() throws {
        let table = LockTable()
        let locked = try lock([nil, .fund(1), .folder(1)], isDeep: true, of: 1, in: table)
        try lock([nil, .fund(2), .folder(2)], of: 1, in: table)
        let own = try lock([nil, .fund(1), .file(2)], of: 2, in: table)
        #expect(table.locks(on: [nil, .fund(1), .folder(1), .file(1)], for: 2).map(\.lock) == [locked])
        #expect(table.locks(for: 2, in: [1]) == [own, locked])
        #expect(table.locks(for: 2) == [own])
        #expect(table.locks(for: 3, in: [3]).isEmpty)
        #expect(locked.yields(to: 1, with: [locked.token]))
        #expect(!locked.yields(to: 2, with: [locked.token]))
        #expect(!locked.yields(to: 1, with: [own.token]))
        // Who may delete a folder ends the locks of all that is in it.
        table.remove([locked, own])
        #expect(table.locks(for: 2, in: [1]).isEmpty)
        #expect(table.locks(for: 1, in: [1]).map(\.root) == [.folder(2)])
    }

    /// A lock on the root of one person is made without a look at the locks of other members, and opens none of them.
    @Test func lockOfARootIsNoneOfAFund() throws {
        let table = LockTable()
        let (chain, file): ([LibraryItemID?], [LibraryItemID?]) = ([nil, .fund(1)], [nil, .fund(1), .file(1)])
        let root = try lock([nil], isDeep: true, of: 1, in: table)
        #expect(table.locks(on: file, for: 1).yield(to: 1, with: [root.token]))
        let shared = Self.request.replacing("exclusive", with: "shared")
        let others = try (1...2).map { user in
            try table.add(
                request(shared), on: chain, isDeep: true, timeout: .seconds(60), of: User.ID(Int64(user)))
        }
        let held = table.locks(on: file, for: 1)
        #expect(!held.yield(to: 1, with: [root.token]))
        #expect(held.yield(to: 1, with: [others[0].token]))
        #expect(!held.yield(to: 1, with: [others[1].token]))
    }

    @Test func lockOfARootIsOfOnePerson() throws {
        let table = LockTable()
        try lock([nil], isDeep: true, of: 1, in: table)
        #expect(table.locks(on: [nil, .fund(1), .file(1)], for: 1).count == 1)
        #expect(table.locks(on: [nil, .fund(1), .file(1)], for: 2).isEmpty)
        #expect(table.locks(on: [nil], for: 2).isEmpty)
    }

    @Test func endsInTime() throws {
        let clock = Clock()
        let start = ContinuousClock.now
        let table = LockTable(now: { start + .seconds(clock.seconds) })
        let lock = try table.add(
            request(), on: [nil, .fund(1), .file(1)], isDeep: false, timeout: .seconds(10), of: 1)
        clock.seconds = 9
        #expect(table.locks(for: 1).count == 1)
        #expect(table.locks(for: 2, in: [1]).count == 1)
        #expect(table.refresh(lock, timeout: .seconds(10))?.expiresAt == start + .seconds(19))
        clock.seconds = 19
        #expect(table.locks(for: 2, in: [1]).isEmpty)
        #expect(table.locks(for: 1).isEmpty)
        #expect(table.refresh(lock, timeout: .seconds(10)) == nil)
    }

    @Test func boundsLocksOfAUser() throws {
        let table = LockTable()
        for id in 0..<Int64(LockTable.maxLocksPerUser) {
            try lock([nil, .fund(.init(id % 3)), .file(.init(id))], in: table)
        }
        #expect(throws: DAVError.self) { try lock([nil, .fund(1), .file(-1)], in: table) }
        #expect(throws: DAVError.self) { try table.checkRoom(of: 1, beside: 0) }
        try lock([nil, .fund(1), .file(1)], of: 2, in: table)
        #expect(Set(table.locks(for: 1).map(\.token)).count == LockTable.maxLocksPerUser)
    }

    @Test func keepsTheOwnerWhole() throws {
        let shared = Self.request.replacing("exclusive", with: "shared")
        #expect(try request().owner == "<D:owner xmlns:D=\"DAV:\">Ann</D:owner>")
        #expect(try request().isExclusive)
        #expect(try !request(shared).isExclusive)
    }

    @Test(arguments: ["exclusive", "write", "lockinfo", "lockscope"])
    func refusesOtherLocks(_ word: String) {
        #expect(throws: DAVError.self) { try request(Self.request.replacing(word, with: "other")) }
    }

    @Test func refusesALongOwner() {
        let owner = String(repeating: "x", count: LockRequest.maxOwnerBytes)
        #expect(throws: DAVError.self) { try request(Self.request.replacing("Ann", with: owner)) }
    }

    /// A clock that stands still until it is told.
    private final class Clock: Sendable {
        private let value = Mutex<Int64>(0)
        var seconds: Int64 {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }
}
