import Foundation
import TestSupport
import Testing

/// The user whose service the store is.
private enum ServiceUser {
    static let id: uid_t = 65534
    static let prefix = ["setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups"]

    static let isPossible: Bool = {
        guard getuid() == 0 else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = prefix + [BuiltProgram().path, "--version"]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

/// `sudo fundmail …` on the store of a service, and what its own user sees of it.
@Suite(.enabled(if: ServiceUser.isPossible, "only root can act for another user, who must be able to run this program"))
struct OwnerTests {
    private func give(_ path: String) {
        for name in [""] + (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []) {
            chown("\(path)/\(name)", ServiceUser.id, ServiceUser.id)
        }
    }

    @Test func rootLeavesNothingThatItsOwnerCannotUse() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.write(CrashMail.messages(20, fileBytes: 2000))
        chmod(store.folder, 0o755)
        give(store.folder)
        let service = store.with([:], prefix: ServiceUser.prefix)
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
        give(store.folder)
        // As an earlier version left it.
        for name in ["use.lock", "log/000001.seg"] { chown("\(store.store)/\(name)", 0, 0) }
        let service = store.with([:], prefix: ServiceUser.prefix)

        let replayed = try await service.replay()
        #expect(replayed.status == 73 && replayed.errors.contains("belongs to root"), "\(replayed)")
        let checked = try await service.run("doctor", "--offline")
        #expect(checked.status == 73, "\(checked)")
        let output = checked.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(output.contains("1 more belong to root") && output.contains("sudo chown -R"), "\(output)")
        let verified = try await service.run("verify", "--json")
        #expect(verified.status == 65 && verified.output.contains(#""kind":"unreadable""#), "\(verified)")
        #expect(verified.output.contains("belongs to root") && !verified.output.contains("damaged"), "\(verified)")
        give(store.folder)
        #expect(try await service.run("doctor", "--offline").isSuccess)
        #expect(try await service.replay().isSuccess)
    }
}
