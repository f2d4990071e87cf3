internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// A user's own contacts: the list, a page for each, and what is done about one.
extension PageRoute {
    static let contactsPath = "/library/contacts"

    static let contactRoutes: [PageRoute] = [
        .get("/contacts/suggest") { call in try await suggestions(call) },
        .get(contactsPath) { call in try await contactsPage(call) },
        .get("\(contactsPath)/{contact}") { call in try await contactPage(call) },
        .post("\(contactsPath)/{contact}/delete") { call, _ in
            let id: Contact.ID = try call.id("contact")
            guard try await !call.contacts.deleteContacts([id], of: try call.userID).isEmpty else {
                throw RequestError.notFound
            }
            let undo = try UndoOffer.field(.restoreContact(id), call)
            return call.redirect(to: "\(contactsPath)?done=contact-deleted\(undo)")
        },
        .post("\(contactsPath)/{contact}/restore") { call, form in
            let id: Contact.ID = try call.id("contact")
            do {
                try await call.contacts.restoreContacts(
                    [id], unlessDeletedAfter: UndoOffer.time(of: form), of: try call.userID)
            } catch let failure as StoreError where failure.isOne(of: .notFound, .invalid) {
                return call.redirect(
                    to: LibraryPaths.with(call.localPath(form["back"]) ?? contactsPath, "done=contact-gone"))
            }
            return call.redirect(
                to: LibraryPaths.with(call.localPath(form["back"]) ?? "\(contactsPath)/\(id)", "done=contact-restored"))
        },
    ]

    /// Letters by which a list is entered.
    private static let initials = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(UnicodeScalar($0)) } + ["#"]

    private static func contactsPage(_ call: PageCall) async throws -> Response {
        let (query, user) = (try call.query(), try call.userID)
        let filter = try call.contactFilter(query)
        let fields = [("q", filter.words), ("group", filter.group), ("initial", filter.initial.map { String($0) })]
        let list = "contacts" + PageQueryText.text(fields)
        let page = try await call.contacts.contacts(filter, of: user, try call.section(of: list))
        let count = try await call.contacts.countContacts(of: user)
        let groups = try await call.contacts.contactGroups(of: user)
        let isFiltered = fields.contains { $0.1 != nil }
        var model: PageModel = [
            "atContacts": true, "onOwn": true, "here": contactsPath + PageQueryText.text(fields),
            "hasCompany": call.parts.directory() != nil, "words": filter.words ?? "", "isFiltered": isFiltered,
            "total": call.words.count("contacts", count), "hasContacts": count > 0,
            "rows": page.items.map { ContactView.row($0) }, "isEmpty": page.items.isEmpty && page.next == nil,
            "emptyText": call.words(isFiltered ? "contacts.none" : "contacts.empty"),
            "groups": groups.map {
                PageModel.choice($0.name, "\($0.name) (\($0.count))", isChosen: $0.name == filter.group)
            },
            "hasGroups": !groups.isEmpty,
            "initials": initials.map { letter -> PageModel in
                [
                    "letter": letter, "address": contactsPath + PageQueryText.text([("initial", letter)]),
                    "isChosen": filter.initial.map { String($0) } == letter,
                ]
            },
        ]
        model["paging"] = try call.paging(contactsPath, fields, next: page.next, of: list)
        return call.page("contacts", model, title: call.words("contacts.title"))
    }

    private static func contactPage(_ call: PageCall) async throws -> Response {
        let contact = try await call.contacts.contact(try call.id("contact"), of: try call.userID)
        var model = ContactView.page(contact.card, call.words)
        model.merge([
            "atContacts": true, "here": "\(contactsPath)/\(contact.id)", "id": "\(contact.id)",
            "changed": call.formats.exactTime(contact.changedAt),
        ])
        return call.page("contact", model, title: contact.card.name)
    }

    /// People for an address field, for its script.
    private static func suggestions(_ call: PageCall) async throws -> Response {
        let people = try await call.suggestedPeople()
        let words = call.words
        return call.json(headers: [.cacheControl: "no-store"]) { json in
            json.field("title", words("people.offer"))
            json.field("status", words.count("people.offered", people.count))
            json.objects("people", people) { json, offer in
                json.field("name", offer.name)
                json.field("address", offer.addresses.count == 1 ? offer.addresses[0] : "")
                json.field("detail", offer.detail)
                json.field(
                    "label",
                    offer.source == .group
                        ? words.count("people", offer.addresses.count) : words("people.from.\(offer.source.rawValue)"))
                json.field("text", offer.text)
            }
        }
    }
}
