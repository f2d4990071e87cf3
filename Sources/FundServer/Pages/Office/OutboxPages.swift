internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Letters that go out: a list, a page for each, and what an administrator does about them.
extension PageRoute {
    private static let listPath = "/office/outbox"
    /// Letters that one click is about.
    private static let maxAtOnce = PageQuery.maxLimit

    static let outboxRoutes: [PageRoute] = [
        .office(listPath) { call in try await outboxPage(call) },
        .officeAct(listPath + "/all") { call, form in try await actOnAll(form, call) },
        .office(listPath + "/letters/{letter}") { call in try await letterPage(call) },
        .officeAct(listPath + "/letters/{letter}/retry") { call, form in
            let state = try await call.letter().letter.state
            return try await act("letter-retried", form, call) { id, actor in
                guard !UndoOffer.isStale(form, for: state) else {
                    throw StoreError(.conflict, "undo the dropping of a letter", "it is not dropped any more")
                }
                try await call.outbox.retryLetter(id, mayArriveTwice: form["twice"] != nil, actor: actor)
            }
        },
        .officeAct(listPath + "/letters/{letter}/drop") { call, form in
            let letter = try await call.letter().letter
            let isUndone = letter.state.waits && !letter.mayHaveArrived
            return try await act("letter-dropped", isUndone: isUndone, form, call) { id, actor in
                try await call.outbox.dropLetter(id, actor: actor)
            }
        },
    ]

    /// - Parameter isUndone: whether the letter waited before: to send it after all is then no other act than an undo.
    private static func act(
        _ done: String, isUndone: Bool = false, _ form: FieldText, _ call: PageCall,
        _ body: (OutboxLetter.ID, String) async throws -> Void
    ) async throws -> Response {
        let id: OutboxLetter.ID = try call.id("letter")
        let back = call.localPath(form["back"]) ?? "\(listPath)/letters/\(id)"
        do {
            try await body(id, try call.user.email)
        } catch let failure as StoreError where failure.code == .conflict {
            return call.redirect(to: LibraryPaths.with(back, "done=letter-changed"))
        }
        let undo = try UndoOffer.field(isUndone ? .sendAfterAll(id) : nil, call)
        return call.redirect(to: LibraryPaths.with(back, "done=\(done)\(undo)"))
    }

    /// All that failed are sent anew, or all that are uncertain dropped; of one recipient when the list is.
    private static func actOnAll(_ form: FieldText, _ call: PageCall) async throws -> Response {
        let isRetry = form["act"] == "retry"
        guard isRetry || form["act"] == "drop" else { throw RequestError.invalid("act is retry or drop") }
        let filter = OutboxFilter(states: [isRetry ? .failed : .uncertain], recipient: form["to"])
        let letters = try await call.outbox.letters(filter, PageQuery(limit: maxAtOnce)).items
        let actor = try call.user.email
        // In the order in which they were written.
        for letter in letters.reversed() {
            do {
                if isRetry {
                    try await call.outbox.retryLetter(letter.id, mayArriveTwice: false, actor: actor)
                } else {
                    try await call.outbox.dropLetter(letter.id, actor: actor)
                }
            } catch let failure as StoreError where failure.isOne(of: .conflict, .notFound) {
                // Another administrator was quicker.
            }
        }
        let back = call.localPath(form["back"]) ?? listPath
        let done = letters.isEmpty ? "letter-changed" : isRetry ? "letters-retried" : "letters-dropped"
        return call.redirect(to: LibraryPaths.with(back, "done=\(done)"))
    }

    private static func outboxPage(_ call: PageCall) async throws -> Response {
        let query = try call.query()
        let filter = try call.outboxFilter(query)
        let fields = [("state", query.word("state")), ("to", filter.recipient)]
        let list = "outbox" + PageQueryText.text(fields)
        let page = try await call.outbox.letters(filter, try call.section(of: list))
        let messages = try await call.administration.messages(of: page.items.map(\.cause))
        let counts = try await call.outbox.outboxCounts()
        let view = LetterView(words: call.words, formats: call.formats)
        let here = listPath + PageQueryText.text(fields)
        var model: PageModel = [
            "isOffice": true, "atOutbox": true, "here": here, "toWhom": filter.recipient ?? "",
            "state": query.word("state").orAbsent, "isFiltered": filter.recipient != nil,
            "tabs": view.tabs(counts, chosen: query.word("state"), to: filter.recipient),
            "rows": page.items.map { view.row($0, messages[$0.cause]) },
            "isEmpty": page.items.isEmpty && page.next == nil,
            "emptyText": call.words(fields.contains { $0.1 != nil } ? "outbox.none" : "outbox.empty"),
            "summary": ["parts": view.summary(counts)] as PageModel,
            "server": call.parts.letterServer().map(view.server).orAbsent,
        ]
        let isTroubled = query.word("state").flatMap(OutboxLetter.State.named)?.isDisjoint(with: [.failed, .uncertain])
        if isTroubled == false {
            model["failedCount"] = view.all("failed", counts.letters[.failed] ?? 0)
            model["uncertainCount"] = view.all("uncertain", counts.letters[.uncertain] ?? 0)
        }
        model["paging"] = try call.paging(listPath, fields, next: page.next, of: list)
        return call.page("outbox", model, title: call.words("outbox.title"))
    }

    private static func letterPage(_ call: PageCall) async throws -> Response {
        let (letter, message) = try await call.letter()
        let view = LetterView(words: call.words, formats: call.formats)
        var model = view.row(letter, message)
        model.merge(view.details(letter))
        model.merge([
            "isOffice": true, "atOutbox": true, "here": "\(listPath)/letters/\(letter.id)",
            "server": call.parts.letterServer().map(view.server).orAbsent,
            "audit": "/office/audit" + PageQueryText.text([("subject", "letter \(letter.id)")]),
        ])
        return call.page("outboxletter", model, title: call.words("outbox.letter", letter.recipient))
    }
}
