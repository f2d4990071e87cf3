import Foundation
import TestSupport
import Testing

/// `fundmail contact` on a real store.
@Suite(.startsPrograms) struct ContactCommandTests {
    private static let user = FundmailServer.user

    private static func withStore(_ body: (ReplayStore) async throws -> Void) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try await body(store)
    }

    private static func lines(_ store: ReplayStore, _ words: String...) async throws -> [[String: any Sendable]] {
        let arguments = store.arguments(["contact", "list", user, "--json"] + words)
        return try jsonLines(try await store.program.run(arguments).output)
    }

    @Test func addsListsAndRemoves() async throws {
        try await Self.withStore { store in
            #expect(try await store.run("contact", "list", Self.user).output == "There is no such contact.\n")
            let added = try await store.run(
                "contact", "add", Self.user, "--name", "Bob \u{1B}[31mBaker", "--address", "Bob@Corp.example",
                "--address", "bob@home.example", "--phone", "+1 2", "--company", "Corp", "--department", "Sales",
                "--position", "Clerk", "--group", "Friends", "--note", "n")
            #expect(added.isSuccess && added.output.hasPrefix("Added Bob"), "\(added)")
            #expect(!added.output.contains("\u{1B}"))
            let named = try await store.run("contact", "add", Self.user, "--address", "cleo@corp.example", "--json")
            let id = try #require(try jsonLines(named.output).first?["id"] as? Int)
            let all = try await Self.lines(store)
            #expect(all.map { $0["name"] as? String } == ["Bob [31mBaker", "cleo@corp.example"])
            let addresses = all.first?["addresses"] as? [[String: any Sendable]]
            #expect(addresses?.map { $0["value"] as? String } == ["bob@corp.example", "bob@home.example"])
            #expect(all.first?["organisation"] as? String == "Corp" && all.first?["title"] as? String == "Clerk")
            #expect(try await Self.lines(store, "--find", "cleo").count == 1)
            #expect(try await Self.lines(store, "--group", "friends").count == 1)
            let table = try await store.run("contact", "list", Self.user).output
            #expect(table.contains("bob@corp.example, bob@home.example") && table.contains("Friends"), "\(table)")
            let cards = try await store.run("contact", "list", Self.user, "--vcard").output
            #expect(cards.contains("VERSION:4.0\r\n") && cards.contains("EMAIL:cleo@corp.example\r\n"))
            let removed = try await store.run("contact", "remove", Self.user, "\(id)", "99999")
            #expect(removed.status == 1 && removed.output == "\(id): deleted.\n99999: there is none.\n", "\(removed)")
            #expect(try await Self.lines(store).count == 1)
            let audit = try await store.run("audit", "--format", "json", "--action", "contact").output
            let entries = try jsonLines(audit)
            #expect(Set(entries.compactMap { $0["action"] as? String }) == ["contact.add", "contact.delete"])
            #expect(
                entries.allSatisfy {
                    ($0["subject"] as? String)?.hasSuffix(" of \(Self.user)") == true
                        && $0["actor"] as? String != Self.user
                })
        }
    }

    @Test func imports() async throws {
        try await Self.withStore { store in
            let file = "\(store.folder)/people.vcf"
            try TestFile.write(
                "BEGIN:VCARD\nFN:Ann\nEMAIL:ann@corp.example\nPHOTO:x\nEND:VCARD\nBEGIN:VCARD\nNOTE:x\nEND:VCARD\n",
                to: file)
            let rehearsal = try await store.run("contact", "import", Self.user, file, "--dry-run")
            #expect(rehearsal.status == 1, "\(rehearsal)")
            #expect(rehearsal.output.contains("line 1: Ann: added") && rehearsal.output.contains("Nothing was changed"))
            #expect(try await Self.lines(store).isEmpty)
            let done = try await store.run("contact", "import", Self.user, file, "--json")
            let results = try jsonLines(done.output)
            #expect(done.status == 1 && results.map { $0["result"] as? String } == ["added", "refused"], "\(done)")
            #expect(results.first?["left_out"] as? [String] == ["picture"])
            #expect(results.last?["problem"] as? String != nil)
            try TestFile.write("Name,E-mail Address\nAnna,ann@corp.example\nBob,bob@corp.example\n", to: file)
            let table = try await store.run("contact", "import", Self.user, file)
            #expect(
                table.isSuccess && table.output.hasSuffix("1 added, 0 merged, 1 unchanged, 0 refused.\n"), "\(table)")
            #expect(try await Self.lines(store).count == 2)
        }
    }

    @Test(
        arguments: [
            (["list", "who@example.com"], 65, "who@example.com"),
            (["list", FundmailServer.user, "--json", "--vcard"], 64, "both"),
            (["add", FundmailServer.user], 65, "needs a name"),
            (["add", FundmailServer.user, "--address", "x"], 65, "no e-mail"),
            (["import", FundmailServer.user, "/nowhere"], 65, "cannot be read"),
            (["import", FundmailServer.user, "/dev/null"], 65, "no people"),
            (["remove", FundmailServer.user], 64, "ids"),
        ] as [([String], Int32, String)])
    func saysWhatIsWrong(_ words: [String], _ status: Int32, _ said: String) async throws {
        try await Self.withStore { store in
            let done = try await store.program.run(store.arguments(["contact"] + words))
            #expect(done.status == status && done.errors.contains(said), "\(done)")
        }
    }
}
