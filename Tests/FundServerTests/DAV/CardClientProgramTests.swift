import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// A real client of address books judges: vdirsyncer (https://vdirsyncer.pimutils.org), of PyPI.
@Suite(.startsPrograms) struct CardClientProgramTests {
    private static let package = "vdirsyncer==0.21.0"

    /// The folder in which vdirsyncer keeps what it synchronises.
    private struct Client: Sendable {
        let folder: String

        init(_ harness: DAVHarness) throws {
            folder = harness.server.folder + "/vdirsyncer"
            try TestFile.makeDirectory(folder)
            try TestFile.write(
                """
                [general]
                status_path = "\(folder)/status"
                [pair contacts]
                a = "here"
                b = "there"
                collections = ["from b"]
                conflict_resolution = "b wins"
                partial_sync = "revert"
                [storage here]
                type = "filesystem"
                path = "\(folder)/cards"
                fileext = ".vcf"
                [storage there]
                type = "carddav"
                url = "\(harness.server.baseURL)/"
                username = "\(harness.ann.email)"
                password = "\(harness.password)"
                read_only = true

                """, to: "\(folder)/config")
        }

        func run(_ command: String) async throws -> String {
            try await DAVHarness.off {
                let line = "yes | \"$0\" \"$1\" vdirsyncer --config \"$2/config\" \(command) 2>&1"
                return try ToolRun.output(
                    ["sh", "-c", line, "\(PackageRoot.path)/scripts/support/pypi", package, folder])
            }
        }

        /// The cards of an address book, by the names that they give.
        func names(_ book: String) throws -> [String: String] {
            let place = "\(folder)/cards/\(book)"
            var names: [String: String] = [:]
            for file in TestFile.names(in: place) where file.hasSuffix(".vcf") {
                let text = String(decoding: try TestFile.read("\(place)/\(file)"), as: UTF8.self)
                let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("FN:") }
                names[String(line?.dropFirst(3) ?? "")] = "\(place)/\(file)"
            }
            return names
        }
    }

    /// Additions, changes and deletions; and a change of the client, which is taken back: all is for reading.
    @Test func vdirsyncer() async throws {
        let harness = try await DAVHarness()
        let contacts = harness.store.contacts
        func add(_ name: String) async throws -> Contact {
            try await contacts.addContact(
                ContactCard(name: name, addresses: [ContactEntry("someone@corp.example")]), of: harness.ann.id)
        }
        let (cleo, dan) = (try await add("Cleo 基金 <&>"), try await add("Dan"))
        let client = try Client(harness)
        let found = try await client.run("discover")
        let first = try await client.run("sync")
        #expect(try Set(client.names("own").keys) == ["Cleo 基金 <&>", "Dan"], "\(found)\(first)")
        _ = try await add("Eve")
        _ = try await contacts.changeContact(
            cleo.id, ContactCard(name: "Cleopatra"), ifRevision: nil, of: harness.ann.id)
        _ = try await contacts.deleteContacts([dan.id], of: harness.ann.id)
        let second = try await client.run("sync")
        #expect(try Set(client.names("own").keys) == ["Cleopatra", "Eve"], "\(second)")
        // Nothing is left to do.
        let third = try await client.run("sync")
        #expect(!third.contains("Copying") && !third.contains("Deleting"), "\(third)")
        let eve = try #require(try client.names("own")["Eve"])
        let changed = String(decoding: try TestFile.read(eve), as: UTF8.self).replacing("FN:Eve", with: "FN:Mallory")
        try TestFile.write(changed, to: eve)
        // It forgets its change first, and takes the server's card the next time.
        let fourth = try await client.run("sync") + client.run("sync")
        #expect(try Set(client.names("own").keys) == ["Cleopatra", "Eve"], "\(fourth)")
        #expect(!(found + first + second + third + fourth).contains("error:"))
        try await harness.server.stop()
    }
}
