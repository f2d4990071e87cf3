import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Share links in the store: what can be made, who may end them, and what they show within a transaction.
@Suite struct ShareLinkTests {
    private static let key = ShareLinkKey(serverKey: [UInt8](repeating: 1, count: 32))
    private static let now: Timestamp = 1_800_000_000

    private static func link(
        _ items: [LibraryItemID], _ purpose: ShareLink.Purpose = .download,
        _ change: (inout NewShareLink) -> Void = { _ in }
    ) -> NewShareLink {
        var link = NewShareLink(
            items: items, purpose: purpose, expiresAt: now + .seconds(86_400), secret: key.makeSecret())
        change(&link)
        return link
    }

    private struct Things {
        let harness: StoreHarness
        let folder: FolderEntry
        let note: NoteEntry
        var links: SQLShareLinkStore { harness.store.links }
        var ann: User { harness.ann }

        init() async throws {
            harness = try await StoreHarness()
            let (library, ann, fund) = (harness.store.library, harness.ann.id, harness.fund.id)
            folder = try await library.addFolder("Folder", in: LibraryPlace(fund: fund), of: ann)
            note = try await library.addNote(NoteText(title: "t", content: "c"), in: fund, of: ann)
        }

        func add(_ link: NewShareLink) async throws -> ShareLink {
            try await links.addLink(link, of: ann.id, at: ShareLinkTests.now)
        }
    }

    @Test func aTokenIsDerivedAndTheStoreHoldsItsDigest() async throws {
        let things = try await Things()
        let made = try await things.add(Self.link([.folder(things.folder.id)]))
        let token = Self.key.token(of: made.seed)
        #expect(ShareLinkKey.isToken(token) && token.utf8.count == 43)
        let found = try await things.links.openableLink(ShareLinkKey.digest(token), at: Self.now)
        #expect(found?.opened.link == made && found?.opened.owner.id == things.ann.id)
        let other = ShareLinkKey(serverKey: [UInt8](repeating: 2, count: 32))
        #expect(other.token(of: made.seed) != token)
        for address in ["https://corp.example", "https://corp.example/"] {
            #expect(Self.key.address(of: made, at: address) == "https://corp.example/s/\(token)")
        }
    }

    @Test func whatIsNotThereOrNotOwnCannotBeShared() async throws {
        let things = try await Things()
        let store = things.harness.store
        let bea = try await store.administration.addUser(
            email: "bea@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
        await #expect(throws: StoreError.self) {
            _ = try await things.links.addLink(Self.link([.folder(things.folder.id)]), of: bea.id, at: Self.now)
        }
        await #expect(throws: StoreError.self) { _ = try await things.add(Self.link([.folder(99)])) }
        let second = try await store.library.addFund("Second", of: things.ann.id)
        let other = try await store.library.addNote(NoteText(title: "", content: ""), in: second.id, of: things.ann.id)
        do {
            _ = try await things.add(Self.link([.note(things.note.id), .note(other.id)]))
            Issue.record("things of two funds were shared")
        } catch let error as StoreError { #expect(error.problem == .linkFunds) }
        #expect(try await things.links.links(of: nil, PageQuery()).items.isEmpty)
    }

    @Test func openingsAreCountedUpToTheirLimit() async throws {
        let things = try await Things()
        let made = try await things.add(
            Self.link([.note(things.note.id)]) { ($0.maxOpenings, $0.passwordHash) = (2, "h") })
        let visitor = ShareVisitor(name: "Eve", network: "192.0.2.1")
        func open(_ hash: String?, at time: Timestamp = Self.now) async throws -> Bool {
            try await things.links.open(made.id, passwordHash: hash, by: visitor, at: time) != nil
        }
        #expect(try await !open("another"))
        #expect(try await !open(nil))
        #expect(try await !open("h", at: Self.now + .seconds(86_400)))
        #expect(try await open("h"))
        #expect(try await open("h"))
        #expect(try await !open("h"))
        let link = try await things.links.link(made.id, of: things.ann.id)
        #expect(link.openings == 2 && link.lastOpenedAt == Self.now && link.state(at: Self.now) == .usedUp)
        #expect(try await things.links.uses(of: made.id, of: things.ann.id, PageQuery()).items.count == 1)
        #expect(try await things.links.openedLink(made.id, at: Self.now).link == link)
        await #expect(throws: StoreError.self) {
            _ = try await things.links.openedLink(made.id, at: Self.now + .seconds(86_400))
        }
    }

    /// One visitor stands in the audit trail once an hour; what they typed stands there as a quotation.
    @Test func openingsByOneVisitorAreOneEntry() async throws {
        let things = try await Things()
        let made = try await things.add(Self.link([.note(things.note.id)]))
        let eve = ShareVisitor(name: "Eve”, who wrote “Ann\u{202E}\n", network: "192.0.2.1")
        var bob = eve
        bob.name = nil
        let hour = Duration.seconds(3600)
        for (visitor, time) in [
            (eve, Self.now), (eve, Self.now + .seconds(10)), (bob, Self.now), (bob, Self.now + .seconds(3599)),
            (eve, Self.now + hour), (eve, Self.now + hour + hour / 2),
            // The clock was ahead.
            (eve, Self.now + .seconds(30)),
        ] {
            #expect(try await things.links.open(made.id, passwordHash: nil, by: visitor, at: time) != nil)
        }
        var filter = AuditFilter()
        filter.action = "link.open"
        let entries = try await things.harness.store.administration.audit(filter, PageQuery(limit: 20)).items
        let typed = "from 192.0.2.1, who wrote “Eve\\u{201D}, who wrote \\u{201C}Ann\\u{202E}\\u{A}”"
        #expect(entries.map(\.detail).sorted() == ["from 192.0.2.1", typed, typed].sorted())
        #expect(try await things.links.link(made.id, of: things.ann.id).openings == 7)
        #expect(try await things.links.uses(of: made.id, of: things.ann.id, PageQuery()).items.count == 3)
    }

    /// A thing that was moved to another fund is behind no link that was made before.
    @Test func aLinkShowsItsFundAlone() async throws {
        let things = try await Things()
        let (library, ann) = (things.harness.store.library, things.ann.id)
        let inner = try await library.addFolder(
            "Inner", in: LibraryPlace(fund: things.harness.fund.id, folder: things.folder.id), of: ann)
        let second = try await library.addFund("Second", of: ann)
        let whole = try await things.add(Self.link([.folder(things.folder.id)]))
        let part = try await things.add(Self.link([.folder(inner.id)]))
        let puts = try await things.add(Self.link([.folder(inner.id)], .upload))
        func shows(_ link: ShareLink) async throws -> Bool {
            do { return try await things.links.openedLink(link.id, at: Self.now).link.id == link.id } catch let error
                as StoreError where error.code == .notFound
            { return false }
        }
        for link in [whole, part, puts] { #expect(try await shows(link)) }
        _ = try await library.move(
            .folder(inner.id), to: ItemTarget(.place(LibraryPlace(fund: second.id))), if: nil, of: ann)
        #expect(try await shows(whole))
        for link in [part, puts] { #expect(try await !shows(link)) }
        for link in [whole, part] {
            await #expect(throws: StoreError.self) {
                _ = try await things.links.sharedFolder(inner.id, of: link.id, PageQuery(), at: Self.now)
            }
        }
        let names = try await things.links.names(of: [whole, part], of: ann)
        #expect(names == [whole.id: [.folder(things.folder.id): "Folder"], part.id: [:]])
        // A link that is made there shows it, and the others do when it comes back.
        #expect(try await shows(try await things.add(Self.link([.folder(inner.id)]))))
        _ = try await library.move(
            .folder(inner.id), to: ItemTarget(.folder(things.folder.id)), if: nil, of: ann)
        for link in [whole, part, puts] { #expect(try await shows(link)) }
    }

    /// Links that were made before they were bound belong to the fund in which all their things lie.
    @Test func earlierLinksAreBoundToTheirFund() async throws {
        let things = try await Things()
        let (harness, library, ann) = (things.harness, things.harness.store.library, things.ann.id)
        let second = try await library.addFund("Second", of: ann)
        let other = try await library.addFolder("Other", in: LibraryPlace(fund: harness.fund.id), of: ann)
        let email = try #require(try await harness.file("Subject: 1\n\n1").emailID)
        let links = [
            try await things.add(Self.link([.folder(things.folder.id), .note(things.note.id), .email(email)])),
            try await things.add(Self.link([.fund(harness.fund.id)], .upload)),
            try await things.add(Self.link([.folder(things.folder.id), .folder(other.id)])),
            try await things.add(Self.link([.folder(other.id)])),
        ]
        let target = ItemTarget(.place(LibraryPlace(fund: second.id)))
        _ = try await library.move(.folder(other.id), to: target, if: nil, of: ann)
        try harness.store.close()
        try DatabaseFile.change(StoreLocation(root: harness.folder + "/store").database) { db in
            try db.execute("ALTER TABLE share_link DROP COLUMN fund_id")
            try db.execute("DELETE FROM grdb_migrations WHERE identifier = '18'")
        }
        harness.store = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        var funds: [Fund.ID?] = []
        for link in links { funds.append(try await harness.store.links.link(link.id, of: ann).fund) }
        // The fund of the third is not known: it shows nothing.
        #expect(funds == [harness.fund.id, harness.fund.id, nil, second.id])
        await #expect(throws: StoreError.self) {
            _ = try await harness.store.links.openedLink(links[2].id, at: Self.now)
        }
        #expect(try await harness.store.links.openedLink(links[3].id, at: Self.now).link.items == [.folder(other.id)])
    }

    /// The owner and administrators end a link; others do not learn that there is one.
    @Test func whoEndsALink() async throws {
        let things = try await Things()
        let administration = things.harness.store.administration
        for (name, isAdministrator) in [("bea", false), ("root", true)] {
            _ = try await administration.addUser(
                email: "\(name)@example.com", name: nil, isAdministrator: isAdministrator, addresses: [], actor: "t")
        }
        let bea = try await administration.user("bea@example.com").user
        let made = try await things.add(Self.link([.note(things.note.id)]))
        await #expect(throws: StoreError.self) {
            try await things.links.revokeLink(made.id, of: bea.id, actor: bea.email)
        }
        do {
            try await things.links.revokeLink(made.id, of: nil, actor: bea.email)
            Issue.record("a user ended the link of another")
        } catch let error as StoreError { #expect(error.code == .conflict) }
        #expect(try await things.links.revokeLink(made.id, of: nil, actor: "root@example.com"))
        #expect(try await !things.links.revokeLink(made.id, of: things.ann.id, actor: things.ann.email))
        await #expect(throws: StoreError.self) { _ = try await things.links.openedLink(made.id, at: Self.now) }
        let second = try await things.add(Self.link([.note(things.note.id)]))
        #expect(try await things.links.revokeLink(second.id, of: things.ann.id, actor: things.ann.email))
        let actions = try await administration.audit(AuditFilter(), PageQuery(limit: 4)).items.map(\.action)
        #expect(actions.sorted() == ["link.add", "link.add", "link.revoke", "link.revoke"])
    }

    @Test func disablingAUserEndsTheirLinks() async throws {
        let things = try await Things()
        let made = try await things.add(Self.link([.note(things.note.id)]))
        let administration = things.harness.store.administration
        try await administration.setDisabled(true, user: things.ann.id, actor: "t")
        try await administration.setDisabled(false, user: things.ann.id, actor: "t")
        #expect(try await things.links.link(made.id, of: things.ann.id).revokedAt != nil)
    }

    /// A store that goes on from an earlier state may have links that were ended since.
    @Test func anEarlierStateHasNoLiveLinks() async throws {
        let things = try await Things()
        let made = try await things.add(Self.link([.note(things.note.id)]))
        try things.harness.store.connection.write("go back", .free) { try StoreHistory.begin($0) }
        #expect(try await things.links.link(made.id, of: things.ann.id).revokedAt != nil)
        let next = try await things.add(Self.link([.note(things.note.id)]))
        #expect(next.id.rawValue > made.id.rawValue + StoreHistory.passedIDs)
    }

    /// Links that ended long ago are forgotten as new ones come.
    @Test func oldLinksAreForgotten() async throws {
        let things = try await Things()
        let old = try await things.add(Self.link([.note(things.note.id)]))
        let later = Self.now + .seconds(100 * 86_400)
        var link = Self.link([.note(things.note.id)])
        link.expiresAt = later + .seconds(86_400)
        let new = try await things.links.addLink(link, of: things.ann.id, at: later)
        #expect(try await things.links.links(of: things.ann.id, PageQuery()).items.map(\.link.id) == [new.id])
        #expect(old.id != new.id)
    }

    /// Lists come in pages, and name what is there.
    @Test func listsComeInPages() async throws {
        let things = try await Things()
        var ids: [ShareLink.ID] = []
        for _ in 0..<3 { ids.append(try await things.add(Self.link([.note(things.note.id)])).id) }
        let first = try await things.links.links(of: things.ann.id, PageQuery(limit: 2))
        let rest = try await things.links.links(of: things.ann.id, PageQuery(limit: 2, cursor: first.next))
        #expect((first.items + rest.items).map(\.link.id) == ids.reversed() && rest.next == nil)
        let named = try await things.links.links(naming: [.note(things.note.id)], of: things.ann.id, at: Self.now)
        #expect(Set(named.map(\.id)) == Set(ids))
        #expect(
            try await things.links.links(naming: [.folder(things.folder.id)], of: things.ann.id, at: Self.now) == [])
        let names = try await things.links.names(
            of: [.note(things.note.id), .folder(things.folder.id), .file(99)], of: things.ann.id)
        #expect(names == [.note(things.note.id): "t", .folder(things.folder.id): "Folder"])
    }
}
