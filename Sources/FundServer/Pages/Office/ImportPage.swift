internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let importRoutes: [PageRoute] = [
        .office("/office/import") { call in importPage(call, text: "") },
        .officeAct("/office/import") { call, form in
            let text = form["table"] ?? ""
            do {
                let table = try UserTable(text)
                let isMeant = form["act"] == "import" && table.mistakes.isEmpty
                let results = try await call.administration.importUsers(
                    table.lines.map(\.row), actor: try call.user.email, keeping: isMeant ? .allOrNothing : .nothing)
                let rehearsal = ImportRehearsal(table, results, call.words)
                if isMeant, !rehearsal.hasMistakes { return call.redirect(to: "/office/people?done=imported") }
                return importPage(call, text: text, rehearsal: rehearsal)
            } catch let mistake as UserTable.Mistake {
                return importPage(call, text: text, mistake: mistake)
            }
        }.proven,
    ]

    /// - Parameter mistake: why the table as a whole cannot be read.
    private static func importPage(
        _ call: PageCall, text: String, rehearsal: ImportRehearsal? = nil, mistake: UserTable.Mistake? = nil
    ) -> Response {
        var model: PageModel = [
            "isOffice": true, "atPeople": true, "here": "/office/import", "table": text,
        ]
        if let rehearsal { model.merge(rehearsal.model) }
        if let mistake { model.fail(call.words("import.line", "\(mistake.line)", mistake.problem), at: "table") }
        if rehearsal?.hasMistakes == true { model.fail(call.words("import.wrong"), at: "table") }
        return call.page(
            "import", model, title: call.words("import.title"),
            status: model.text("failure") == nil ? .ok : .unprocessableContent)
    }
}

/// The effect that an import would have, line by line.
private struct ImportRehearsal {
    let model: PageModel
    let hasMistakes: Bool

    init(_ table: UserTable, _ results: [UserImportResult], _ words: Words) {
        var lines = table.mistakes.map { (number: $0.line, email: "", text: $0.problem, isWrong: true) }
        for (line, result) in zip(table.lines, results) {
            let (text, isWrong) =
                switch result {
                case .added: (words("import.added"), false)
                case .updated: (words("import.updated"), false)
                case .unchanged: (words("import.unchanged"), false)
                case .invalid(let problem): (problem, true)
                }
            lines.append((line.number, line.row.email, text, isWrong))
        }
        lines.sort { $0.number < $1.number }
        hasMistakes = lines.contains(where: \.isWrong)
        let changes = results.count { $0 == .added || $0 == .updated }
        model = [
            "hasLines": true, "canImport": !hasMistakes && changes > 0,
            "summary": words("import.would", words.count("people", changes)), "ignored": table.ignoredColumns,
            "hasIgnored": !table.ignoredColumns.isEmpty,
            "lines": lines.map {
                ["number": "\($0.number)", "email": $0.email, "text": $0.text, "isWrong": $0.isWrong] as PageModel
            },
        ]
    }
}
