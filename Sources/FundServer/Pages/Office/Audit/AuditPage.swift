internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let auditRoutes: [PageRoute] = [
        .office("/office/audit") { call in
            let form = AuditForm(try call.query())
            var model = try await form.model(call)
            guard let problem = form.problem else {
                let section = try call.section(of: form.list)
                let page = try await call.administration.audit(form.filter, section)
                model["rows"] = try await rows(page.items, call)
                model["isEmpty"] = page.items.isEmpty && page.next == nil
                model["paging"] = try call.paging("/office/audit", form.fields, next: page.next, of: form.list)
                model["table"] = "/office/audit.csv" + PageQueryText.text(form.fields)
                return call.page("audit", model, title: call.words("audit.title"))
            }
            model.fail(call.words("audit.noday"), at: problem)
            return call.page("audit", model, title: call.words("audit.title"), status: .badRequest)
        },
        PageRoute.office("/office/audit.csv") { call in
            let form = AuditForm(try call.query())
            guard form.problem == nil else { throw RequestError.invalid("a day is written as 2026-01-31") }
            return try await AuditTable(call: call, filter: form.filter, isForSpreadsheet: true).response()
        }.streamed,
    ]

    private static func rows(_ entries: [AuditEntry], _ call: PageCall) async throws -> [PageModel] {
        let statements = entries.map { AuditStatement($0) }
        var references = AuditReferences()
        for statement in statements { statement.collect(into: &references) }
        let names = try await call.administration.auditNames(of: references)
        let sentence = AuditSentence(words: call.words, formats: call.formats, names: names)
        var above: String?
        return zip(entries, statements).map { entry, statement in
            var row = sentence.row(entry, statement)
            let day = call.formats.day(entry.at).key
            row["day"] = above == day ? PageValue.flag(false) : .model(call.formats.dayHeading(entry.at))
            above = day
            return row
        }
    }
}
