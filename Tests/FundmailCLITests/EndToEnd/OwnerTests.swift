import Foundation
import TestSupport
import Testing

/// `sudo fundmail …` on the store of a service, and what its own user sees of it.
@Suite(
    .startsPrograms,
    .enabled(if: OtherUser.isPossible, "only root can act for another user, who must be able to run this program"))
struct OwnerTests {
    @Test func rootLeavesNothingThatItsOwnerCannotUse() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.write(CrashMail.messages(20, fileBytes: 2000))
        chmod(store.folder, 0o755)
        OtherUser.give(store.folder)
        let service = store.with([:], prefix: OtherUser.prefix)
        #expect(try await store.replay().isSuccess)
        for command in [["verify"], ["doctor", "--offline"], ["replay", "mail"], ["verify", "--repair"]] {
            let done = try await service.program.run(store.arguments(command))
            #expect(done.isSuccess, "\(command): \(done)")
        }
    }

    @Test func saysWhatBelongsToRoot() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.write(CrashMail.messages(20, fileBytes: 2000))
        #expect(try await store.replay().isSuccess)
        chmod(store.folder, 0o755)
        OtherUser.give(store.folder)
        // An earlier version left these owners.
        for name in ["use.lock", "log/000001.seg"] { chown("\(store.store)/\(name)", 0, 0) }
        let service = store.with([:], prefix: OtherUser.prefix)

        let replayed = try await service.replay()
        #expect(replayed.status == 73 && replayed.errors.contains("belongs to root"), "\(replayed)")
        let checked = try await service.run("doctor", "--offline")
        #expect(checked.status == 73, "\(checked)")
        let output = checked.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(output.contains("1 more belong to root") && output.contains("sudo chown -R"), "\(output)")
        let verified = try await service.run("verify", "--json")
        #expect(verified.status == 65 && verified.output.contains(#""kind":"unreadable""#), "\(verified)")
        #expect(verified.output.contains("belongs to root") && !verified.output.contains("damaged"), "\(verified)")
        OtherUser.give(store.folder)
        #expect(try await service.run("doctor", "--offline").isSuccess)
        #expect(try await service.replay().isSuccess)
    }
}
