internal import FundCore

/// A letter that goes out, on its page and in the list.
struct LetterView {
    let words: Words
    let formats: Formats

    /// Tabs of the list, with the words of `OutboxLetter.State.named`.
    private static let tabs: [(word: String?, key: String)] = [
        (nil, "all"), ("waiting", "waiting"), ("troubled", "troubled"), ("sent", "sent"), ("dropped", "dropped"),
    ]

    func tabs(_ counts: OutboxCounts, chosen: String?, to recipient: String?) -> [PageModel] {
        Self.tabs.map { word, key in
            let states = word.flatMap(OutboxLetter.State.named) ?? []
            let count = states.reduce(0) { $0 + (counts.letters[$1] ?? 0) }
            return [
                "text": words("outbox.tab.\(key)"), "isChosen": word == chosen,
                // Sent letters are counted for thirty days alone: their number says nothing.
                "count": count > 0 && word != "sent" ? .text("\(count)") : PageValue.flag(false),
                "address": "/office/outbox" + PageQueryText.text([("state", word), ("to", recipient)]),
            ]
        }
    }

    /// How much waits, and how much a person has to look at, in a sentence.
    func summary(_ counts: OutboxCounts) -> [PageModel] {
        var parts: [PageModel] = []
        if let oldest = counts.oldestWaiting, counts.waiting > 0 {
            let count: PageModel = ["plain": words.count("outbox.waiting", counts.waiting)]
            parts += words.parts("outbox.oldest", [count, formats.lasting(since: oldest)])
        } else {
            parts.append(["plain": words("outbox.nothingwaits")])
        }
        if counts.troubled > 0 {
            let gap = words.language == .zh ? "" : " "
            parts.append(["plain": gap + words.count("outbox.troubled", counts.troubled)])
        }
        return parts
    }

    /// The button that acts on all letters of a state; a flag that hides it where there are none.
    func all(_ state: String, _ count: Int) -> PageValue {
        count > 0 ? .text(words.count("outbox.all.\(state)", count)) : .flag(false)
    }

    func server(_ server: LetterServer) -> PageModel {
        ["parts": words.parts("outbox.server", [["quoted": server.name], ["quoted": server.from]])]
    }

    func row(_ letter: OutboxLetter, _ message: AuditNames.Message?) -> PageModel {
        let isAskedFirst = letter.isAskedFirst
        var row: PageModel = [
            "id": "\(letter.id)", "recipient": letter.recipient, "level": Self.level(of: letter.state).rawValue,
            "state": words("outbox.state.\(letter.state.rawValue)"), "about": about(letter.cause, message),
            "meaning": ["parts": meaning(letter)] as PageModel, "isAskedFirst": isAskedFirst,
            "retryText": [.sending, .sent].contains(letter.state) || isAskedFirst
                ? PageValue.flag(false) : .text(words("outbox.retry.\(letter.state.rawValue)")),
            "isDroppable": letter.state.waits || [.failed, .uncertain].contains(letter.state),
        ]
        row["reply"] = (letter.state == .sent || letter.state == .queued ? nil : letter.note).orAbsent
        return row
    }

    /// Facts for the letter's own page, beside its row.
    func details(_ letter: OutboxLetter) -> PageModel {
        [
            "queued": formats.exactTime(letter.queuedAt), "changed": letter.changedAt.map(formats.exactTime).orAbsent,
            "due": letter.dueAt.map(formats.exactTime).orAbsent, "attempts": "\(letter.attempts)",
            "reply": letter.note.orAbsent, "mark": letter.usedMark.orAbsent,
            "isKept": letter.cause.misroute != nil,
        ]
    }

    /// The level of a state is the class of its dot, as on the page of health.
    static func level(of state: OutboxLetter.State) -> HealthChecks.Level {
        switch state {
        case .queued, .sending, .dropped: .unknown
        case .sent: .ok
        case .deferred, .uncertain: .warning
        case .failed: .failure
        }
    }

    /// The event that it tells of. Kept mail leads to the desk.
    private func about(_ cause: OutboxCause, _ message: AuditNames.Message?) -> PageModel {
        let subject = words.subject(message?.subject)
        guard cause.isAboutMessage else { return ["parts": words.parts("outbox.about.\(cause.kind.rawValue)", [])] }
        let mail: PageModel =
            if message == nil {
                ["plain": words("statement.gone.message")]
            } else if let misroute = cause.misroute {
                ["thing": ["name": "“\(subject)”", "path": "/desk/messages/\(misroute)", "tip": ""] as PageModel]
            } else {
                ["quoted": "“\(subject)”"]
            }
        let writer: PageModel = ["plain": cause.kind == .letter ? message?.sender ?? "" : ""]
        return ["parts": words.parts("outbox.about.\(cause.kind.rawValue)", [mail, writer])]
    }

    private func meaning(_ letter: OutboxLetter) -> [PageModel] {
        let key = "outbox.meaning.\(letter.state.rawValue)"
        switch letter.state {
        case .deferred:
            return letter.dueAt.map {
                words.parts(key, [["plain": words.count("outbox.attempts", letter.attempts)], formats.moment($0)])
            } ?? words.parts("outbox.meaning.queued")
        case .sent, .dropped:
            return letter.changedAt.map { words.parts(key, [formats.aging($0)]) } ?? words.parts(key + ".once")
        case .failed, .uncertain:
            return words.parts(key, [["plain": words.count("outbox.attempts", letter.attempts)]])
        case .queued, .sending: return words.parts(key)
        }
    }
}
