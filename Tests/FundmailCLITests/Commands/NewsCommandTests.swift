import Foundation
import TestSupport
import Testing

/// `fundmail news` on a real store. No feed of the internet is asked: private addresses are refused before that.
@Suite(.startsPrograms) struct NewsCommandTests {
    private static let address = "http://127.0.0.1:8080/feed"

    @Test func addsFetchesAndRemoves() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        #expect(try await store.run("news", "list").output.contains("There is no feed."))
        let people = try jsonLines(try await store.run("user", "list", "--json").output)
        let email = try #require(people.first?["email"] as? String)
        let added = try await store.run("news", "add", email, Self.address, "--folder", "Markets", "--as-is")
        #expect(added.isSuccess && added.output == "Added 127.0.0.1 to the feeds of \(email) (1).\n", "\(added)")
        // Each attempt is refused before a connection is made, and doctor names the feed from the third on.
        for attempt in 1...3 {
            let fetched = try await store.run("news", "fetch", Self.address)
            #expect(fetched.isSuccess && fetched.output.contains("not on the public internet"), "\(fetched)")
            let doctor = try await store.run("doctor", "--offline").output
            #expect(doctor.contains(Self.address) == (attempt == 3), "\(doctor)")
        }
        let lines = try jsonLines(try await store.run("news", "list", "--failing", "--json").output)
        #expect(lines.map { $0["problem"] as? String } == ["private_address"])
        #expect(lines.map { $0["failures"] as? Int } == [3])
        let own = try jsonLines(try await store.run("news", "list", "--user", email, "--json").output)
        #expect(own.first?["folder"] as? String == "Markets" && own.first?["id"] as? Int == 1)
        // Nothing is due now, and no list has another feed.
        #expect(try await store.run("news", "fetch").output.isEmpty)
        let unknown = try await store.run("news", "fetch", "https://example.com/feed")
        #expect(unknown.status == 65 && unknown.errors.contains("No list has the feed"), "\(unknown)")
        let found = try await store.run("news", "add", email, "http://localhost:8443/")
        #expect(found.status == 65 && found.errors.contains("not on the public internet"), "\(found)")
        let removed = try await store.run("news", "remove", email, "1")
        #expect(removed.isSuccess && removed.output.contains("Removed 127.0.0.1"), "\(removed)")
        #expect(try await store.run("news", "remove", email, "1").status == 65)

        let configuration = try String(contentsOfFile: store.configuration, encoding: .utf8)
        try TestFile.write(Array((configuration + "\nnews: off\n").utf8), to: store.configuration)
        let fetched = try await store.run("news", "fetch")
        #expect(fetched.status == 78 && fetched.errors.contains("News is off: write `news: on`"), "\(fetched)")
        #expect(try await store.run("news", "add", email, Self.address, "--as-is").status == 78)
        let listed = try await store.run("news", "list")
        #expect(listed.isSuccess && listed.errors.contains("News is off"), "\(listed)")
        let doctor = try await store.run("doctor", "--offline").output
        #expect(doctor.contains("no feed is fetched"), "\(doctor)")
    }

    @Test(arguments: ["ftp://example.com/", "https://example.com:22/", "https://u:p@example.com/"])
    func refusesOtherAddresses(address: String) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let people = try jsonLines(try await store.run("user", "list", "--json").output)
        let email = try #require(people.first?["email"] as? String)
        let added = try await store.run("news", "add", email, address, "--as-is")
        #expect(added.status == 65 && !added.errors.contains("u:p"), "\(added)")
    }
}
