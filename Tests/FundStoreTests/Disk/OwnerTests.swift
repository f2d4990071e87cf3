import Glibc
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Root on the store of another user.
@Suite(.enabled(if: geteuid() == 0, "only root can act for another user"))
struct OwnerTests {
    private static let other: uid_t = 65534

    private func walk(_ path: String, _ body: (String) throws -> Void) throws {
        for name in try DiskDirectory.names(in: path) {
            try body("\(path)/\(name)")
            if DiskFile.isFolder("\(path)/\(name)") { try walk("\(path)/\(name)", body) }
        }
    }

    private func owner(_ path: String) -> uid_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_uid : nil
    }

    private func give(_ store: String, to user: uid_t) throws {
        chown(store, user, user)
        try walk(store) { _ = chown($0, user, user) }
    }

    @Test func whatRootMakesBelongsToTheOwnerOfTheStore() async throws {
        let harness = try await StoreHarness()
        try harness.store.close()
        let path = harness.store.path
        try give(path, to: Self.other)
        for name in ["write.lock", "use.lock", "reserve"] { unlink("\(path)/\(name)") }
        rmdir("\(path)/tmp")
        rmdir("\(path)/log")
        try harness.reopen()
        let lease = try await harness.store.mail.lease("funds", to: "poll")
        try await harness.file("a: b\n\nc", parts: [StoreHarness.Part(name: "p", bytes: [1, 2])])
        _ = try harness.spool("left over")
        let upload = try harness.store.library.makeUpload(named: "a", announcing: nil)
        _ = try harness.store.accounts.serverKey()
        try walk(path) { #expect(owner($0) == Self.other, "\($0)") }
        #expect(StoreOwnership.problem(of: path, isThorough: true) == nil)
        lease.end()
        withExtendedLifetime(upload) {}
    }

    @Test func saysWhatBelongsToRoot() async throws {
        let harness = try await StoreHarness()
        try harness.store.close()
        let path = harness.store.path
        try give(path, to: Self.other)
        #expect(StoreOwnership.problem(of: path, isThorough: false, user: Self.other) == nil)
        chown("\(path)/write.lock", 0, 0)
        let problem = StoreOwnership.problem(of: path, isThorough: false, user: Self.other)
        #expect(problem?.contains("write.lock belongs to root") == true, "\(problem ?? "")")
        chown("\(path)/log", 0, 0)
        let folder = StoreOwnership.problem(of: path, isThorough: true, user: 0)
        #expect(folder?.contains("log and 1 more belong to root") == true, "\(folder ?? "")")
        #expect(folder?.contains("`sudo chown -R \(UserName.of(Self.other)): \(path)`") == true, "\(folder ?? "")")
        let mine = StoreOwnership.problem(of: path, isThorough: false, user: 12345)
        #expect(
            mine?.contains("belongs to \(UserName.of(Self.other)), and this is run as uid 12345") == true,
            "\(mine ?? "")")
    }
}
