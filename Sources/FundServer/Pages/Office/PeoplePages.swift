internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let peopleRoutes: [PageRoute] = [
        .office("/office/people") { call in try await peoplePage(call) },
        .officeAct("/office/people") { call, form in
            do {
                let user = try await call.administration.addUser(
                    email: form["email"] ?? "", name: form["name"], isAdministrator: form["role"] == "administrator",
                    addresses: [], actor: try call.user.email)
                return call.redirect(to: "/office/people/\(user.id)?done=person-added")
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                return try await peoplePage(call, typed: form, failure: failure)
            }
        }.proven,
    ]

    /// - Parameter typed: a new person who was refused.
    private static func peoplePage(
        _ call: PageCall, typed: FieldText? = nil, failure: StoreError? = nil
    ) async throws -> Response {
        let words = try call.isRead ? call.query()["q"] : nil
        let list = "people \(words ?? "")"
        let page = try await call.administration.users(matching: words, try call.section(of: list))
        let total = try await call.administration.countUsers(matching: words)
        var model: PageModel = [
            "isOffice": true, "atPeople": true, "onPeople": true, "here": "/office/people", "query": words ?? "",
            "isFiltered": words != nil, "total": call.words.count("people", total), "isEmpty": page.items.isEmpty,
            "people": page.items.map { row($0, call) }, "newEmail": typed?["email"] ?? "",
            "newName": typed?["name"] ?? "", "newIsAdministrator": typed?["role"] == "administrator",
        ]
        model["paging"] = try call.paging("/office/people", [("q", words)], next: page.next, of: list)
        if let failure {
            model.fail(call.words(failure.code == .invalid ? "people.noaddress" : "people.taken"), at: "email")
        }
        return call.page(
            "people", model, title: call.words("people.title"), status: failure?.requestError.status ?? .ok)
    }

    private static func row(_ record: UserRecord, _ call: PageCall) -> PageModel {
        let (words, limits) = (call.words, call.administration.storageLimits)
        var row: PageModel = [
            "id": "\(record.user.id)", "name": record.user.name ?? record.user.email,
            "funds": words.count("funds", record.fundCount), "hasRole": record.user.isAdministrator,
            "isDisabled": record.user.isDisabled,
        ]
        let text = StorageText(words: words, formats: call.formats)
        row.merge(text.model(record.usedBytes, of: record.quota.limit(limits)))
        // The name already says the first where there is no other.
        let addresses = record.addresses.dropFirst(record.user.name == nil ? 1 : 0)
        if !addresses.isEmpty { row["addresses"] = addresses.joined(separator: ", ") }
        return row
    }
}
