internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Queues a letter, and leads back to where it was begun; or shows it again with what is wrong.
    static func send(_ draft: LetterDraft, _ call: PageCall) async throws -> Response {
        var page = LetterPage(draft, call)
        page.isUnsaved = true
        guard call.parts.letterServer() != nil else { return try await page.response() }
        let (to, toProblem) = people(draft.to, call)
        let (cc, ccProblem) = people(draft.cc, call)
        (page.problems.to, page.problems.cc) = (toProblem, ccProblem)
        guard page.problems.first == nil else { return try await page.response() }
        let letter = NewLetter(
            to: to, cc: cc, sendsCopy: draft.copiesWriter, subject: draft.subject, text: draft.text,
            items: draft.items.items, way: draft.way, fund: draft.fund, answered: draft.answered, key: draft.key)
        do {
            let (sent, isNew) = try await call.sendLetter(letter)
            guard isNew || sent.isSame(as: letter) else {
                // The form of a letter that was sent, by Back, with another text or for other people.
                page.draft.key = LetterDraft().key
                page.problems.general = call.words("letter.wrong.changed")
                return try await page.response()
            }
            let done = "done=" + (isNew ? "letter-queued" : "letter-known")
            guard let back = call.localPath(draft.back) else {
                return call.redirect(to: "\(lettersPath)/\(sent.summary.id)?\(done)")
            }
            return call.redirect(to: LibraryPaths.with(back, "\(done)&letter=\(sent.summary.id)"))
        } catch let failure as StoreError where failure.code == .notFound {
            try await page.leaveOutWhatIsGone()
        } catch let failure as StoreError where failure.isOne(of: .invalid, .quarantined, .unscanned, .tooMany) {
            page.problems.add(call.words.sentence(failure.requestError), of: failure)
        }
        return try await page.response()
    }

    /// The people of an address field, or what is wrong with it.
    private static func people(_ text: String, _ call: PageCall) -> (people: [Addressee], problem: String?) {
        do throws(AddressListError) {
            return (try AddressList(text).people, nil)
        } catch {
            return ([], call.words.sentence(RequestError(error)))
        }
    }
}

extension PersonalLetter {
    /// Whether a form that comes again says the same to the same people.
    fileprivate func isSame(as letter: NewLetter) -> Bool {
        let people = summary.recipients.filter { $0.role != .copy }.map(\.addressee.key)
        return Set(people) == Set((letter.to + letter.cc).map(\.key)) && text.trimmed == letter.text.trimmed
            && summary.subject == letter.subject.label && Set(items) == Set(letter.items)
    }
}

extension LetterPage {
    /// Says which part of the letter is gone; the mail that it answers and its fund are left out of the next try.
    fileprivate mutating func leaveOutWhatIsGone() async throws {
        let user = try call.userID
        if let answered = draft.answered, try await isGone({ _ = try await call.library.email(answered, of: user) }) {
            (draft.answered, problems.general) = (nil, call.words("letter.wrong.unread"))
        }
        if let fund = draft.fund, try await isGone({ _ = try await call.library.fund(fund, of: user) }) {
            draft.fund = nil
            problems.general = problems.general ?? call.words("letter.wrong.fund")
        }
        let items = try await LetterItems(draft.items.items, call)
        if items.goneCount > 0 || problems.general == nil {
            problems.items = call.words("letter.wrong.gone", "\(items.goneCount)")
        }
    }

    private func isGone(_ look: () async throws -> Void) async throws -> Bool {
        do { try await look() } catch let failure as StoreError where failure.code == .notFound { return true }
        return false
    }
}

/// The problems of a letter that cannot be sent, in the reader's words, by the field that each is about.
struct LetterProblems {
    var to: String?
    var cc: String?
    var subject: String?
    var items: String?
    var text: String?
    /// A problem of no field.
    var general: String?

    /// The first problem, with the id of its field.
    var first: (text: String, field: String?)? {
        let all: [(String?, String?)] = [
            (to, "to"), (cc, "cc"), (subject, "subject"), (items, "items"), (text, "text"), (general, nil),
        ]
        return all.compactMap { text, field in text.map { ($0, field) } }.first
    }

    /// Adds the refusal of a letter at the field that it is about.
    mutating func add(_ sentence: String, of failure: StoreError) {
        switch failure.problem {
        case .letterNoRecipient?, .letterTooManyRecipients?, .letterOwnMailbox?: to = sentence
        case .letterSubjectTooLong?: subject = sentence
        case .letterEmpty?, .letterTextTooLong?: text = sentence
        case .letterTooManyItems?, .letterTooLarge?: items = sentence
        default: if failure.code == .invalid { general = sentence } else { items = sentence }
        }
    }
}
