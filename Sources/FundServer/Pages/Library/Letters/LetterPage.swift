internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The page of a letter that is being written.
struct LetterPage {
    var draft: LetterDraft
    let call: PageCall
    var problems = LetterProblems()
    /// The words by which files are looked for; nil where none are.
    var asked: String?
    /// Whether the text comes from a form, and was not sent yet.
    var isUnsaved = false
    /// Whether it came when its session had ended.
    var isCarried = false

    init(_ draft: LetterDraft, _ call: PageCall) { (self.draft, self.call) = (draft, call) }

    func response() async throws -> Response {
        guard let server = call.parts.letterServer() else { return try LettersOff(draft, call).response() }
        let items = try await LetterItems(draft.items.items, call)
        let fund = try await fund(of: items)
        var model = fields
        model.merge(itemFields(items))
        model.merge(try await LetterPicker(words: asked, items: draft.items.items, fund: fund?.id, call: call).model())
        let words = call.words
        let sender: [PageModel] = [["quoted": server.from], ["quoted": try call.user.email]]
        model["sender"] = ["parts": words.parts("letter.from", sender)] as PageModel
        model["kept"] =
            fund.map { fund -> PageModel in
                let tag: PageModel = ["path": LibraryPaths.mail(fund.id), "name": fund.name]
                return ["parts": words.parts("letter.kept", [["tagged": tag]])]
            }.orAbsent
        if let first = problems.first { model.fail(first.text, at: first.field) }
        if isCarried, problems.first == nil { model["done"] = words("letter.draft.shown") }
        // A long text, where `"` takes six bytes.
        try await call.reservePage(of: model)
        return call.page(
            "send", model, title: title, status: problems.first == nil ? .ok : .unprocessableContent)
    }

    private var title: String {
        draft.answered == nil ? call.words("letter.new") : call.words("letter.reply")
    }

    private var fields: PageModel {
        let writer = call.signedIn.map { call.pages.sessions.drafts.writer($0.user.id) } ?? ""
        return [
            "hasPaper": true, "hasLetter": true, "here": draft.address,
            "back": call.localPath(draft.back) ?? PageRoute.lettersPath, "writer": writer,
            "draftKey": "letter \(draft.address)", "isUnsaved": isUnsaved || isCarried || problems.first != nil,
            "startsAtTo": problems.first == nil && draft.to.isEmpty,
            "startsAtText": problems.first == nil && draft.answered != nil && !draft.to.isEmpty && !isUnsaved,
            "hidden": hidden, "to": draft.to, "cc": draft.cc, "subject": draft.subject, "text": draft.text,
            "toProblem": problems.to.orAbsent, "ccProblem": problems.cc.orAbsent,
            "subjectProblem": problems.subject.orAbsent, "textProblem": problems.text.orAbsent,
            "itemsProblem": problems.items.orAbsent, "copiesWriter": draft.copiesWriter,
        ]
    }

    /// The fields of the letter that its writer does not change.
    private var hidden: [PageModel] {
        let fields = [
            ("key", draft.key), ("reply", draft.answered?.description), ("fund", draft.fund?.description),
            ("back", draft.back),
        ]
        return fields.compactMap { name, value in value.map { ["name": name, "value": $0] } }
    }

    private func itemFields(_ items: LetterItems) -> PageModel {
        let (words, limit) = (call.words, (try? call.letterPolicy().maxAttachmentBytes) ?? 0)
        let most = call.formats.size(limit)
        return [
            "rows": items.rows, "hasItems": !items.isEmpty, "sum": items.sum,
            "sendWays": [NewLetter.Way.automatic, .attached, .link].map { way in
                PageModel.choice(way.rawValue, words("letter.way.\(way.rawValue)", most), isChosen: way == draft.way)
            },
            "tooLarge": items.size > limit && draft.way == .automatic
                ? .text(words("letter.toolarge", call.formats.size(items.size))) : PageValue.flag(false),
        ]
    }

    /// The fund in which the letter is kept: the one from which it was begun, of the mail that it answers, or of its
    /// items; nil for none.
    private func fund(of items: LetterItems) async throws -> FundEntry? {
        guard let id = draft.fund ?? items.fund else { return nil }
        do { return try await call.library.fund(id, of: try call.userID) } catch let failure as StoreError
            where failure.code == .notFound
        {
            return nil
        }
    }
}
