import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundmailCLI

/// The stores of the latest releases, made by their own programs (`scripts/released-store`): this program updates,
/// reads, fills, verifies and backs up each.
@Suite(.startsPrograms, .serialized) struct ReleasedStoreTests {
    /// Contents of a store as the program that made it told them.
    private struct Contents: Decodable {
        var schema: Int
        /// SHA-256 by the path of each file that `export` writes, by owner and fund.
        var exports: [String: [String: String]]
        /// Lines of JSON that a command gives.
        var lists: [String: Int]
        /// SHA-256 of each raw message.
        var messages: [String]
    }

    private static let fixtures = PackageRoot.path + "/Fixtures/stores"
    static let names = TestFile.names(in: fixtures).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
        .sorted { $0.compare($1, options: .numeric) == .orderedAscending }

    private static let lists = [
        "users": ["user", "list", "--json"], "funds": ["fund", "list", "--json"], "trash": ["trash", "list", "--json"],
        "misrouted": ["report", "misrouted", "--format", "json"], "acts": ["misrouted", "acts", "--json"],
        "links": ["links", "list", "--json"], "quarantined": ["quarantine", "list", "--json"],
    ]

    private let program = BuiltProgram()

    private func withStore(
        _ name: String, _ body: (_ folder: String, _ store: String, Contents) async throws -> Void
    ) async throws {
        let folder = try TestFile.makeFolder("released-store")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try ToolRun.output(["tar", "--extract", "--file", "\(Self.fixtures)/\(name).tar.xz", "--directory", folder])
        let json = try Data(contentsOf: URL(fileURLWithPath: "\(Self.fixtures)/\(name).json"))
        try await body(folder, folder + "/store", JSONDecoder().decode(Contents.self, from: json))
    }

    @discardableResult
    private func run(_ words: [String], in store: String) async throws -> BuiltProgram.Finished {
        let done = try await program.run(words + ["--store", store])
        #expect(done.isSuccess, "\(words): \(done)")
        return done
    }

    /// All files of all funds and all raw messages are there, with the bytes that they had.
    private func expectContents(_ contents: Contents, of path: String, in folder: String) async throws {
        let store = try FundStore.open(at: path, mode: .readOnly)
        for (fund, files) in contents.exports {
            let words = fund.split(separator: "/", maxSplits: 1).map(String.init)
            let record = try await store.administration.onlyFund(named: words[1], owner: words[0])
            let target = "\(folder)/export"
            _ = try await store.maintenance.export(fund: record.fund.id, to: target)
            var found: [String: String] = [:]
            for name in FileManager.default.enumerator(atPath: target).map({ $0.compactMap { $0 as? String } }) ?? [] {
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: "\(target)/\(name)", isDirectory: &isFolder),
                    !isFolder.boolValue
                else { continue }
                found[name] = ContentDigest.of(try TestFile.read("\(target)/\(name)")).hex
            }
            #expect(found == files, "\(fund)")
            try? FileManager.default.removeItem(atPath: target)
        }
        for digest in contents.messages {
            #expect(try store.holdsContent(try #require(ContentDigest(hex: digest))), "\(digest)")
        }
        try store.close()
    }

    @Test func thereAreSome() { #expect(Self.names.count == 3) }

    @Test(arguments: names) func isUpdatedAndUsed(_ name: String) async throws {
        try await withStore(name) { folder, store, contents in
            let plan = try FundStore.pendingUpdate(at: store)
            let updated = try await run(["update"], in: store)
            #expect(updated.errors.contains("from schema \(contents.schema) to") == (plan != nil))
            let copy = "\(store)/fundmail.sqlite.schema-\(contents.schema)"
            #expect(FileManager.default.fileExists(atPath: copy) == (plan != nil))
            try await expectContents(contents, of: store, in: folder)
            for (list, words) in Self.lists {
                let lines = try await run(words, in: store).output.split(separator: "\n")
                #expect(lines.count == contents.lists[list], "\(list)")
            }
            try TestFile.write(
                "From: ann@example.com\nSubject: [Fund1] After the update\nMessage-ID: <new@example.com>\n\nHello.\n",
                to: folder + "/new.eml")
            #expect(try await run(["replay", folder + "/new.eml", "--json"], in: store).output.contains("\"filed\""))
            try await run(["verify"], in: store)
            try await run(["backup", "--to", folder + "/backup"], in: store)
            let restored = try await program.run(["restore", folder + "/backup", "--to", folder + "/restored"])
            #expect(restored.isSuccess, "\(restored)")
            try await run(["verify"], in: folder + "/restored")
        }
    }

    /// The program dies at each durable step of an update, and the next one goes on.
    @Test func killsDuringAnUpdate() async throws {
        try await withStore(try #require(Self.names.first)) { folder, store, contents in
            let plan = try #require(try FundStore.pendingUpdate(at: store))
            let planned = try await run(["update", "--dry-run"], in: store)
            for step in plan.steps { #expect(planned.output.contains(step.title), "\(planned)") }
            #expect(try FundStore.pendingUpdate(at: store)?.steps == plan.steps)
            let points = ["\(FaultPoint.afterUpdateDraft.rawValue)", "\(FaultPoint.afterUpdateCopy.rawValue)"]
            let steps = plan.steps.map { _ in "\(FaultPoint.afterUpdateStep.rawValue)" }
            for point in points + steps {
                var dying = program
                dying.environment["FUNDMAIL_FAILPOINT"] = point
                let died = try await dying.run(["update", "--store", store])
                try #require(died.wasKilled, "\(point): \(died)")
            }
            try await run(["update"], in: store)
            let copies = TestFile.names(in: store).filter { $0.hasPrefix("fundmail.sqlite.") }
            #expect(copies == ["fundmail.sqlite.schema-\(contents.schema)"])
            try await expectContents(contents, of: store, in: folder)
            try await run(["verify"], in: store)
        }
    }

    /// The rows of before come back, and what was filed since is filed again.
    @Test func theWayBackLosesNoMail() async throws {
        try await withStore(try #require(Self.names.first)) { folder, store, contents in
            try await run(["update"], in: store)
            try TestFile.write(
                "From: ann@example.com\nSubject: [Fund1] After the update\nMessage-ID: <new@example.com>\n\nHello.\n",
                to: folder + "/new.eml")
            try await run(["replay", folder + "/new.eml"], in: store)
            let back = try await run(["update", "--back"], in: store)
            #expect(back.output.contains("schema \(contents.schema)"))
            #expect(try FundStore.pendingUpdate(at: store)?.from == contents.schema)
            let repaired = try await run(["verify", "--repair"], in: store)
            #expect(repaired.output.contains("filed"), "\(repaired)")
            let again = try await run(["replay", folder + "/new.eml", "--json"], in: store)
            #expect(again.output.contains("\"duplicate\""), "\(again)")
        }
    }
}
