internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Letters that the person sent: lists of them, a page for each, and what can be done about it.
    static let sentLetterRoutes: [PageRoute] = [
        .get(lettersPath) { call in try await lettersPage(call) },
        .get("\(lettersPath)/{letter}") { call in try await letterPage(call) },
        .get("\(lettersPath)/{letter}/files/{number}") { call in
            try await call.download(try await call.letterContent())
        }.streamed,
        .post("\(lettersPath)/{letter}/recipients/{number}/again") { call, form in
            try await act("letter-again", form, call) { id, number, user in
                _ = try await call.letters.sendLetterAgain(
                    id, to: number, mayArriveTwice: form["twice"] != nil, of: user)
            }
        },
        .post("\(lettersPath)/{letter}/recipients/{number}/give-up") { call, form in
            try await act("letter-given-up", form, call) { id, number, user in
                _ = try await call.letters.giveLetterUp(id, to: number, of: user)
            }
        },
    ]

    private static func act(
        _ done: String, _ form: FieldText, _ call: PageCall,
        _ body: (PersonalLetter.ID, Int, User.ID) async throws -> Void
    ) async throws -> Response {
        let id: PersonalLetter.ID = try call.id("letter")
        let back = call.localPath(form["back"]) ?? "\(lettersPath)/\(id)"
        do { try await body(id, try call.number(), try call.userID) } catch let failure as StoreError
            where failure.code == .conflict
        {
            return call.redirect(to: LibraryPaths.with(back, "done=letter-changed"))
        }
        return call.redirect(to: LibraryPaths.with(back, "done=\(done)"))
    }

    // MARK: The list

    private static func lettersPage(_ call: PageCall) async throws -> Response {
        let (query, user) = (try call.query(), try call.userID)
        let filter = LetterFilter(fund: try query.id("fund"), isTroubled: query.word("state") == "troubled")
        var head: FundHead?
        if let fund = filter.fund { head = try await FundHead(fund, .mail, call) }
        let fields: [(name: String, value: String?)] = [
            ("fund", filter.fund?.description), ("state", filter.isTroubled ? "troubled" : nil),
        ]
        let list = "letters" + PageQueryText.text(fields)
        let page = try await call.letters.letters(filter, try call.section(of: list), of: user)
        let states = LetterStates(words: call.words, formats: call.formats)
        var model: PageModel = [
            "hasPaper": true, "hasLetter": true, "atSent": head == nil, "fund": (head?.model).orAbsent,
            "here": lettersPath + PageQueryText.text(fields), "isTroubled": filter.isTroubled,
            "rows": page.items.map { row($0, states, call) },
            "isEmpty": page.items.isEmpty && page.next == nil,
            "emptyText": call.words(
                filter.isTroubled ? "letters.untroubled" : head == nil ? "letters.empty" : "letters.empty.fund"),
            "mailWays": head.map { MailWays(of: $0.fund, isSent: true).model }.orAbsent,
        ]
        if head == nil {
            let troubled = try await call.letters.countTroubledLetters(of: user)
            model["troubled"] = troubled > 0 ? .text("\(troubled)") : PageValue.flag(false)
        }
        model["paging"] = try call.paging(lettersPath, fields, next: page.next, of: list)
        let title = head.map { "\($0.fund.name) · \(call.words("letters.title"))" } ?? call.words("letters.title")
        return call.page("letters", model, title: title)
    }

    private static func row(_ letter: LetterSummary, _ states: LetterStates, _ call: PageCall) -> PageModel {
        let to = states.recipients(of: letter)
        var row = states.state(of: letter)
        row.merge([
            "id": "\(letter.id)", "subject": subject(of: letter, call.words), "to": to, "face": Initials.text(of: to),
            "faceHue": Initials.hue(of: to), "time": call.formats.time(letter.sentAt),
            "files": letter.attachmentCount == 0 ? "" : call.words.count("files", letter.attachmentCount),
            "hasFiles": letter.attachmentCount > 0,
        ])
        return row
    }

    private static func subject(of letter: LetterSummary, _ words: Words) -> String {
        words.subject(letter.subject.isEmpty ? nil : letter.subject)
    }

    // MARK: One letter

    /// Seconds for which the page of a letter on its way loads itself again.
    private static let freshSeconds = Duration.seconds(120)

    private static func letterPage(_ call: PageCall) async throws -> Response {
        let (id, user): (PersonalLetter.ID, User.ID) = (try call.id("letter"), try call.userID)
        let letter = try await call.letters.letter(id, of: user)
        let summary = letter.summary
        let states = LetterStates(words: call.words, formats: call.formats)
        var fund: FundEntry?
        if let id = summary.fund { fund = try await call.library.fund(id, of: user) }
        let back = LibraryPaths.letters(of: summary.fund)
        var model = TextLinks.model(of: TextLinks.parts(of: letter.text), call)
        model.merge([
            "hasPaper": true, "hasLetter": true, "here": "\(lettersPath)/\(id)", "back": back,
            "subject": subject(of: summary, call.words), "time": call.formats.exactTime(summary.sentAt),
            "sender": letter.senderName, "replyTo": letter.replyTo,
            "face": Initials.text(of: letter.senderName), "faceHue": Initials.hue(of: letter.senderName),
            "recipients": summary.recipients.map { states.recipient($0, of: id) },
            "keptIn": fund.map {
                ["name": $0.name, "address": LibraryPaths.mail($0.id), "hue": FundHue.name($0.id)] as PageModel
            }
            .orAbsent,
            "answered": try await answered(summary.answered, call).orAbsent,
            "hasFiles": !letter.attachments.isEmpty, "attachments": await files(of: letter, call),
            "isLinked": letter.attachments.isEmpty && !letter.items.isEmpty,
            "atSent": fund == nil,
        ])
        let isOnItsWay = summary.recipients.contains {
            $0.delivery == .sending || ($0.delivery == .waiting && $0.note == nil)
        }
        if isOnItsWay, call.formats.now - summary.sentAt < freshSeconds { model["refresh"] = PageCall.refreshSeconds }
        try await call.reservePage(of: model)
        return call.page("sentletter", model, title: subject(of: summary, call.words))
    }

    /// The mail that a letter answers; nil where it is not there any more.
    private static func answered(_ id: EmailSummary.ID?, _ call: PageCall) async throws -> PageModel? {
        guard let id else { return nil }
        do {
            let email = try await call.library.email(id, of: try call.userID).summary
            return ["address": "/library/emails/\(id)", "of": call.words.subject(email.subject)]
        } catch let failure as StoreError where failure.code == .notFound { return nil }
    }

    /// The files of a letter, as they went along.
    private static func files(of letter: PersonalLetter, _ call: PageCall) async -> [PageModel] {
        let badges = await call.badges(of: [])
        return letter.attachments.map { file in
            let (path, name) = (
                "\(lettersPath)/\(letter.summary.id)/files/\(file.number)", FileNameParts(shown: file.name)
            )
            var row = badges.model(file.name, file.contentType, file.digest, at: path)
            row.merge([
                "name": file.name, "stem": name.stem, "ending": name.suffix, "content": path, "address": false,
                "size": call.formats.size(file.size),
            ])
            return row
        }
    }
}

/// The two parts of a fund's mail: what came, and what was sent.
struct MailWays {
    let fund: FundEntry
    let isSent: Bool

    init(of fund: FundEntry, isSent: Bool) { (self.fund, self.isSent) = (fund, isSent) }

    /// For the template `mailways`.
    var model: PageModel {
        ["id": "\(fund.id)", "isSent": isSent, "letters": LibraryPaths.letters(of: fund.id)]
    }
}
