internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The forms in which a contact is written.
extension PageRoute {
    static let contactFormRoutes: [PageRoute] = [
        .get("\(contactsPath)/new") { call in
            let query = try call.query()
            let card = ContactCard(
                name: query["name"] ?? "", addresses: query["address"].map { [ContactEntry($0)] } ?? [])
            return formPage(ContactForm(card), of: nil, call)
        },
        .post("\(contactsPath)/new") { call, form in
            try await save(form, of: nil, call) { card in
                try await call.contacts.addContact(card, of: try call.userID)
            }
        },
        .get("\(contactsPath)/{contact}/edit") { call in
            let contact = try await call.contacts.contact(try call.id("contact"), of: try call.userID)
            return formPage(ContactForm(contact.card), of: contact, call)
        },
        .post("\(contactsPath)/{contact}/edit") { call, form in
            let contact = try await call.contacts.contact(try call.id("contact"), of: try call.userID)
            guard let revision = form["revision"].flatMap(QueryText.number) else {
                throw RequestError.invalid("the form is incomplete; load the contact again")
            }
            return try await save(form, of: contact, call) { card in
                try await call.contacts.changeContact(
                    contact.id, card, ifRevision: revision, of: try call.userID)
            }
        },
    ]

    private static func save(
        _ form: FieldText, of contact: Contact?, _ call: PageCall, _ body: (ContactCard) async throws -> Contact
    ) async throws -> Response {
        var typed = ContactForm(form)
        if let more = form["more"] {
            typed.add(more)
            return formPage(typed, of: contact, call)
        }
        do {
            let saved = try await body(typed.card)
            return call.redirect(
                to: "\(contactsPath)/\(saved.id)?done=\(contact == nil ? "contact-added" : "contact-saved")")
        } catch let failure as StoreError where failure.code == .conflict {
            return formPage(typed, of: contact, call, failure: call.words("contact.conflict"), status: .conflict)
        } catch let failure as StoreError where failure.code == .invalid {
            let text = call.words.sentence(failure.requestError)
            let field = failure.problem == .contactAddress ? "address-0" : "name"
            return formPage(typed, of: contact, call, failure: text, at: field, status: .unprocessableContent)
        }
    }

    /// - Parameter contact: as it is now; nil for a new one.
    private static func formPage(
        _ form: ContactForm, of contact: Contact?, _ call: PageCall, failure: String? = nil, at field: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var model = form.model(call.words)
        let path = contact.map { "\(contactsPath)/\($0.id)" }
        model.merge([
            "atContacts": true, "here": path.map { "\($0)/edit" } ?? "\(contactsPath)/new",
            "action": path.map { "\($0)/edit" } ?? "\(contactsPath)/new", "back": path ?? contactsPath,
            "revision": contact.map { "\($0.revision)" }.orAbsent,
        ])
        if let failure { model.fail(failure, at: field) }
        return call.page(
            "contactform", model, title: call.words(contact == nil ? "contact.new" : "contact.edit"), status: status)
    }
}
