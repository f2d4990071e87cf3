import Glibc
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A disk that is full, and whose reserve is used up.
@Suite(.startsPrograms, .serialized, .enabled(if: SmallDisk.isPossible, "this user may not mount a small disk"))
struct LastReserveTests {
    /// People can still be locked out, also by a process that opens the store for it. Nothing else takes what is left
    /// for that.
    @Test(arguments: [0, 4096, 20_480]) func somebodyIsLockedOut(left: Int) async throws {
        let disk = try SmallDisk(bytes: 24 << 20)
        defer { disk.unmount() }
        let path = disk.path + "/store"
        var store = try FundStore.open(at: path, mode: .create)
        var users: [User] = []
        for number in 0..<12 {
            users.append(
                try await store.administration.addUser(
                    email: "u\(number)@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test"))
        }
        let fund = try await store.library.addFund("Fund1", of: users[0].id)
        try store.close()
        truncate(path + "/reserve", 0)
        try disk.fill(leaving: left)
        store = try FundStore.open(at: path, mode: .existing)
        await #expect {
            for number in 0..<100 {
                let text = NoteText(title: "t\(number)", content: String(repeating: "c", count: 4096))
                _ = try await store.library.addNote(text, in: fund.id, of: users[0].id)
            }
        } throws: { ($0 as? StoreError)?.code == .outOfSpace }
        for user in users {
            #expect(try await store.administration.setDisabled(true, user: user.id, actor: "test"))
            _ = try await store.accounts.revokeTokens(Set(TokenKind.allCases), of: user.id, keeping: nil, actor: "test")
        }
        #expect(try await store.administration.users().allSatisfy(\.user.isDisabled))
        disk.unfill()
        #expect(store.connection.space.isReserveShort)
        try await store.maintenance.refillReserve()
        #expect(!store.connection.space.isReserveShort)
        #expect(try await store.maintenance.verify().isSound)
        try store.close()
    }
}
