import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

/// `fundmail trash`: what it says, and that only what was named goes.
@Suite(.startsPrograms) struct TrashTests {
    @Test func emptiesOneUsersTrash() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        func run(_ words: String...) async throws -> BuiltProgram.Finished {
            try await store.program.run(store.arguments(words))
        }
        #expect(try await run("trash", "list").output == "Nobody has deleted anything that is still there.\n")
        try store.write(CrashMail.messages(40))
        #expect(try await store.replay().isSuccess)
        let users = CrashMail.users
        // Calls of the users' apps.
        let open = try FundStore.open(at: store.store, mode: .existing)
        for user in users {
            let id = try await open.administration.user(user).user.id
            for fund in try await open.library.funds(of: id) {
                for case .file(let file) in try await open.library.children(of: LibraryPlace(fund: fund.id), of: id) {
                    try await open.library.delete(.file(file.id), if: nil, of: id)
                }
            }
        }
        try open.close()
        let before = try await jsonLines(run("trash", "list", "--json").output)
        #expect(Set(before.compactMap { $0["user"] as? String }) == Set(users), "\(before)")
        #expect(before.allSatisfy { ($0["items"] as? Int ?? 0) > 0 && ($0["bytes"] as? Int ?? 0) > 0 })
        let emptied = try await run("trash", "empty", "--user", users[0])
        #expect(emptied.isSuccess && emptied.output.hasPrefix("Took away "), "\(emptied)")
        // The raw messages repeat these files, so that the disk has nothing back.
        #expect(emptied.output.contains("; 0 B are free again.") && !emptied.output.contains("later"), "\(emptied)")
        let after = try await jsonLines(run("trash", "list", "--json").output)
        #expect(after.count == before.count - 1 && after.allSatisfy { $0["user"] as? String != users[0] }, "\(after)")
        #expect(try await run("trash", "empty").status == 64)
        #expect(try await run("trash", "empty", "--user", "nobody@example.com").status == 65)
        #expect(try await run("trash", "empty", "--all").isSuccess)
        #expect(try await jsonLines(run("trash", "list", "--json").output).isEmpty)
        #expect(try await run("verify").isSuccess)
    }
}
