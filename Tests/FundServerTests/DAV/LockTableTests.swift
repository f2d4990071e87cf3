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

    @Test func findsWhatHolds() throws {
        let table = LockTable()
        let deep = try table.add(request(), on: .folder(1), isDeep: true, timeout: .seconds(60), of: 1)
        let flat = try table.add(request(), on: .fund(1), isDeep: false, timeout: .seconds(60), of: 1)
        func tokens(_ chain: [LibraryItemID?], _ user: User.ID = 1) -> [String] {
            table.locks(on: chain, of: user).map(\.lock.token)
        }
        #expect(tokens([nil, .fund(1), .folder(1)]) == [deep.token])
        #expect(tokens([nil, .fund(1), .folder(1), .file(1)]) == [deep.token])
        #expect(tokens([nil, .fund(1)]) == [flat.token])
        #expect(tokens([nil, .fund(1), .file(1)]) == [])
        #expect(tokens([nil, .fund(1)], 2) == [])
        #expect(table.locks(on: [nil, .fund(1), .folder(1), .file(1)], of: 1).first?.depth == 2)
    }

    @Test func endsInTime() throws {
        let clock = Clock()
        let start = ContinuousClock.now
        let table = LockTable(now: { start + .seconds(clock.seconds) })
        let lock = try table.add(request(), on: .file(1), isDeep: false, timeout: .seconds(10), of: 1)
        clock.seconds = 9
        #expect(table.locks(of: 1).count == 1)
        #expect(table.refresh(lock.token, timeout: .seconds(10), of: 1)?.expiresAt == start + .seconds(19))
        #expect(table.refresh(lock.token, timeout: .seconds(10), of: 2) == nil)
        clock.seconds = 19
        #expect(table.locks(of: 1).isEmpty)
        #expect(table.refresh(lock.token, timeout: .seconds(10), of: 1) == nil)
    }

    @Test func boundsLocksOfAUser() throws {
        let table = LockTable()
        for id in 0..<Int64(LockTable.maxLocksPerUser) {
            _ = try table.add(request(), on: .file(.init(id)), isDeep: false, timeout: .seconds(60), of: 1)
        }
        #expect(throws: DAVError.self) {
            try table.add(request(), on: .file(-1), isDeep: false, timeout: .seconds(60), of: 1)
        }
        _ = try table.add(request(), on: .file(1), isDeep: false, timeout: .seconds(60), of: 2)
        #expect(Set(table.locks(of: 1).map(\.token)).count == LockTable.maxLocksPerUser)
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
