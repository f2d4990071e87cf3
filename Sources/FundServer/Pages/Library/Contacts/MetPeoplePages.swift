internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// People whom a user may take into their contacts: those of their mail, and those of the company's directory.
extension PageRoute {
    static let metPeopleRoutes: [PageRoute] = [
        .get("\(contactsPath)/seen") { call in try await seenPage(call) },
        .post("\(contactsPath)/seen") { call, form in
            let (name, address) = (form["name"] ?? "", form["address"] ?? "")
            do {
                _ = try await call.contacts.addContact(
                    ContactCard(name: name, addresses: [ContactEntry(address)]), of: try call.userID)
            } catch let failure as StoreError where failure.code == .invalid {
                return try await seenPage(call, failure: call.words.sentence(failure.requestError))
            }
            return call.redirect(to: LibraryPaths.with(call.localPath(form["back"]) ?? seenPath, "done=contact-added"))
        },
        .get("\(contactsPath)/company") { call in try await companyPage(call) },
    ]

    private static let seenPath = "\(contactsPath)/seen"

    private static func seenPage(_ call: PageCall, failure: String? = nil) async throws -> Response {
        let list = "seen people"
        let query = call.isRead ? try call.section(of: list) : PageQuery(limit: 100)
        let page = try await call.contacts.knownAddresses(of: try call.userID, query)
        var model: PageModel = [
            "atContacts": true, "onSeen": true, "here": seenPath, "hasCompany": call.parts.directory() != nil,
            "isEmpty": page.items.isEmpty, "rows": page.items.map { row($0, call) },
        ]
        model["paging"] = try call.paging(seenPath, next: page.next, of: list)
        if let failure { model.fail(failure) }
        return call.page(
            "contactsseen", model, title: call.words("contacts.seen"),
            status: failure == nil ? .ok : .unprocessableContent)
    }

    private static func row(_ person: KnownAddress, _ call: PageCall) -> PageModel {
        let counts = [
            person.seenCount > 0 ? call.words.count("contacts.mails", person.seenCount) : nil,
            person.usedCount > 0 ? call.words.count("contacts.letters", person.usedCount) : nil,
        ].compactMap(\.self)
        return [
            "name": person.name ?? person.address, "givenName": person.name ?? "", "address": person.address,
            "hasName": person.name != nil, "counts": counts.joined(separator: " · "),
            "face": Initials.text(of: person.name ?? person.address),
            "faceHue": Initials.hue(of: person.name ?? person.address),
        ]
    }

    private static func companyPage(_ call: PageCall) async throws -> Response {
        guard let directory = call.parts.directory() else { throw RequestError.notFound }
        let (query, path) = (try call.query(), "\(contactsPath)/company")
        let fields = [("q", query["q"]), ("group", query["group"])]
        let needles = query["q"].map(ContactWords.needles) ?? []
        let wanted = query["group"].map(ContactWords.key)
        let people = directory.people.filter { person in
            let words = ContactWords.text(of: person.card)
            return needles.allSatisfy { words.contains($0) }
                && (wanted.map { key in person.card.directoryGroups.contains { ContactWords.key(of: $0) == key } }
                    ?? true)
        }
        let list = "company" + PageQueryText.text(fields)
        let section = try call.section(of: list)
        let start = section.cursor.flatMap { Int($0) } ?? 0
        let items = people.dropFirst(start).prefix(section.limit)
        let end = start + items.count
        let groups = ContactGroup.groups(of: directory.people.map(\.card.directoryGroups))
        var model: PageModel = [
            "atContacts": true, "onCompany": true, "here": path + PageQueryText.text(fields), "hasCompany": true,
            "words": query["q"] ?? "", "isFiltered": fields.contains { $0.1 != nil },
            "total": call.words.count("contacts", directory.people.count), "isEmpty": items.isEmpty,
            "rows": items.map { person -> PageModel in
                var row = ContactView.row(person.card)
                if let address = person.card.addresses.first?.value {
                    let text = Addressee(name: person.card.name, address: address)?.text ?? address
                    row["href"] = "/library/send" + PageQueryText.text([("to", text)])
                }
                return row
            },
            "groups": groups.map {
                PageModel.choice($0.name, "\($0.name) (\($0.count))", isChosen: $0.name == query["group"])
            },
            "hasGroups": !groups.isEmpty,
        ]
        model["paging"] = try call.paging(path, fields, next: end < people.count ? "\(end)" : nil, of: list)
        return call.page("contactscompany", model, title: call.words("contacts.company"))
    }
}
