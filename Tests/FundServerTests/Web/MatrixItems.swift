import FundStore
import HTTPTypes
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// The things that the rows of a matrix name, one row after the other: reads change nothing, and share theirs.
struct MatrixItems {
    let harness: ServerHarness
    private var last: (items: TestItems, isRead: Bool)?

    init(_ harness: ServerHarness) { self.harness = harness }

    mutating func next(_ method: String) async throws -> TestItems {
        let isRead = method == "GET"
        if let last, last.isRead, isRead { return last.items }
        await last?.items.removeUpload(harness)
        let items = try await TestItems(harness)
        last = (items, isRead)
        return items
    }
}

/// One of each kind of thing that Ann has, and one of each that she deleted.
struct TestItems: Sendable {
    private var there: [String: Int64] = [:]
    private var deleted: [String: Int64] = [:]
    /// In quarantine, and no file of hers.
    private let infected: ContentDigest
    /// Begun by her, without a byte.
    private var upload: UploadKey

    init(_ harness: ServerHarness) async throws {
        let (store, ann) = (harness.store, harness.people.ann)
        let name = DiskDirectory.uniqueName(prefix: "")
        let fund = Fund(id: try await store.library.addFund("Fund \(name)", of: ann.id).id, owner: ann.id, name: "Fund")
        let place = LibraryPlace(fund: fund.id)
        func message(_ text: String, _ parts: [TestPeople.Part], in fund: Fund?) async throws -> StoredMessage {
            try await TestPeople.file("\(text) \(name)", parts, in: fund, of: ann, store)
        }
        func note() async throws -> NoteEntry.ID {
            let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: fund.id, of: ann.id)
            return note.id
        }
        func folder(_ name: String) async throws -> FolderEntry.ID {
            let folder = try await store.library.addFolder(name, in: place, of: ann.id)
            return folder.id
        }
        func emptyFund(_ name: String) async throws -> Fund.ID {
            let fund = try await store.library.addFund(name, of: ann.id)
            return fund.id
        }
        // Small ones: what a matrix asks about is who may have them.
        let parts = harness.people.parts.map { part in
            TestPeople.Part(name: part.name, contentType: part.contentType, bytes: Array(part.bytes.prefix(1000)))
        }
        let email = try #require(try await message("mail", parts, in: fund).emailID)
        let attachments = try await store.library.email(email, of: ann.id).attachments
        try await store.library.setFavourite(true, .email(email), of: ann.id)
        let files = try await store.library.children(of: place, of: ann.id).compactMap { item -> FileEntry.ID? in
            if case .file(let file) = item { file.id } else { nil }
        }
        let order = UploadOrder(
            .file(FileTarget("upload", in: place, ifTaken: .number)), contentType: "text/plain", length: nil)
        upload = try await store.library.beginUpload(order, of: ann.id).key
        infected = .of(Array(name.utf8))
        try await store.quarantine.quarantine(infected, malware: "Test.Malware", at: .now)
        let token = try await Accounts(store: store.accounts).addAppPassword(
            "app", reach: .files, for: ann, at: 1_700_000_000, actor: "test")
        let user = try await store.administration.addUser(
            email: "user\(name)@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        let desk = store.administration
        let kept = try #require(try await message("put off", [], in: nil).misrouteID)
        let act = try await desk.begin(.later, about: .init(), actor: "test")
        try await desk.putOff(kept, until: nil, in: act, actor: "test")
        _ = try await desk.learn(.alias("Alias \(name)", of: fund.id), from: kept, in: act, actor: "test")
        let learnt = try #require(try await desk.learnt(PageQuery(limit: 1)).items.first)
        let waiting = try #require(try await message("kept", [], in: nil).misrouteID)
        let received = try await store.library.received(of: ann.id, PageQuery(limit: PageQuery.maxLimit)).items
        let written = try await harness.writtenLetter(.file(files[0]))
        let link = NewShareLink(
            items: [.file(files[0])], purpose: .download, expiresAt: .now + .seconds(86_400),
            secret: ShareLinkKey(serverKey: try store.accounts.serverKey()).makeSecret())
        let shared = try await store.links.addLink(link, of: ann.id, at: .now).id
        let visitor = ShareVisitor(name: nil, network: "192.0.2.1")
        _ = try await store.links.open(shared, passwordHash: nil, by: visitor, at: .now)
        func contact(_ text: String) async throws -> Contact.ID {
            let card = ContactCard(name: text, addresses: [ContactEntry("\(text)\(name)@corp.example")])
            return try await store.contacts.addContact(card, of: ann.id).id
        }
        let goneContact = try await contact("gone")
        try await store.contacts.deleteContacts([goneContact], of: ann.id)
        let news = try await store.news.addSample("https://news.example/\(name)", of: ann.id)
        for webhook in try await store.webhooks.webhooks(of: ann.id) {
            try await store.webhooks.removeWebhook(webhook.id, of: ann.id)
        }
        let receiver = try #require(WebhookAddress("https://hooks.example/\(name)"))
        let webhook = try await store.webhooks.addWebhook(NewWebhook(name: name, address: receiver), of: ann.id).0.id
        let delivery = try await store.webhooks.prepareTest(of: webhook, of: ann.id).delivery.id
        let offer = try #require(NewsAddress("https://offered.example/\(name)"))
        let offered = try await store.news.offerFeed(NewNewsFeed(address: offer), by: "test")
        there = [
            "feed": news.feed.id.rawValue, "item": news.items[0].rawValue, "offer": offered.id.rawValue,
            "contact": try await contact("cleo").rawValue,
            "link": shared.rawValue, "drive": 1, "transfer": 1,
            "webhook": webhook.rawValue, "delivery": delivery.rawValue,
            "act": act.rawValue, "lesson": learnt.id.rawValue, "fund": fund.id.rawValue,
            "folder": try await folder("Folder").rawValue, "file": files[0].rawValue,
            "email": email.rawValue, "attachment": attachments[0].id.rawValue, "note": try await note().rawValue,
            "token": token.record.id.rawValue, "user": user.id.rawValue,
            "message": waiting.rawValue, "letter": try harness.letter(.failed, to: "user\(name)@example.com").rawValue,
            "received": try #require(received.first { $0.subject?.contains("kept \(name)") == true }).id.rawValue,
            "written": written.rawValue, "number": 1, "index": 0, "id": files[0].rawValue,
            "second": try await emptyFund("Second \(name)").rawValue,
        ]
        deleted = [
            "fund": try await emptyFund("Gone \(name)").rawValue, "folder": try await folder("Gone").rawValue,
            "file": files[1].rawValue, "email": try #require(try await message("gone", [], in: fund).emailID).rawValue,
            "note": try await note().rawValue,
        ]
        for (kind, id) in deleted {
            switch kind {
            case "fund": try await store.library.deleteFund(.init(id), of: ann.id)
            case "folder": try await store.library.delete(.folder(.init(id)), of: ann.id)
            case "file": try await store.library.delete(.file(.init(id)), of: ann.id)
            case "note": try await store.library.deleteNote(.init(id), unlessChangedSince: nil, of: ann.id)
            default: try await store.library.deleteEmail(.init(id), of: ann.id)
            }
        }
        deleted["id"] = files[1].rawValue
        deleted["contact"] = goneContact.rawValue
    }

    /// A user has so many uploads at most.
    func removeUpload(_ harness: ServerHarness) async {
        try? await harness.store.library.removeUpload(upload, open: nil, of: harness.people.ann.id)
    }

    /// Items of all kinds, none of which exists.
    var missing: TestItems {
        var things = self
        things.there = there.mapValues { $0 + 1_000_000 }
        things.deleted = deleted.mapValues { $0 + 1_000_000 }
        things.upload = .random()
        return things
    }

    func fill(_ text: String) -> String {
        let values = text.hasSuffix("/restore") || text.contains("/trash/") ? deleted : there
        // A letter that a person wrote has another number than one of the outbox.
        let own = ["/v1/letters/", "/library/letters/"].reduce(text) {
            $0.replacing("\($1){letter}", with: "\($1){written}")
        }
        let start = own.replacing("{type}", with: "file").replacing("{mailbox}", with: "funds")
            .replacing("{sha256}", with: infected.hex).replacing("{upload}", with: upload.text)
        return values.reduce(start) { text, value in
            text.replacing("{\(value.key)}", with: "\(value.value)").replacing("%\(value.key)%", with: "\(value.value)")
        }
    }
}
