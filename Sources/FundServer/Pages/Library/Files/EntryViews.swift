internal import FundCore

/// Events, cards and mails that are in a file: each a title, and what is said of it by name.
struct EntryViews {
    /// For which there are words.
    static let frequencies = ["daily", "weekly", "monthly", "yearly"]
    /// The others say no more than that there is an event.
    static let statuses: [CalendarFields.Status] = [.cancelled, .tentative]

    private let words: Words
    private let formats: Formats

    init(_ call: PageCall) { (words, formats) = (call.words, call.formats) }

    func model(of calendar: CalendarFields) -> PageModel {
        model(
            calendar.events.map(entry), heading: calendar.name,
            more: calendar.hasMore ? words("fields.events", "\(calendar.events.count)") : nil)
    }

    func model(of cards: CardFields) -> PageModel {
        model(cards.cards.map(entry), more: cards.hasMore ? words("fields.cards", "\(cards.cards.count)") : nil)
    }

    func model(of mail: MailFields) -> PageModel {
        model([entry(mail)], more: mail.isCut ? words("fields.cut") : nil)
    }

    private func model(_ entries: [PageModel], heading: String? = nil, more: String?) -> PageModel {
        var model: PageModel = ["entries": entries, "more": [more].compactMap { $0.map { ["line": $0] as PageModel } }]
        if let heading { model["heading"] = heading }
        return model
    }

    // MARK: Entries

    private func entry(_ event: CalendarFields.Event) -> PageModel {
        var facts = [
            fact("start", [event.start].compactMap(value)), fact("end", [event.end].compactMap(value)),
            fact("repeats", [event.repeats].compactMap { $0.map(repeats) }.map { Value($0) }),
            fact("place", texts(event.place)),
            fact("organiser", [event.organiser].compactMap { $0.flatMap(value) }),
            fact("attendees", event.attendees.compactMap(value)),
        ]
        if event.hasMoreAttendees { facts.append(fact("attendees", [Value("…")])) }
        if let status = event.status, Self.statuses.contains(status) {
            facts.insert(fact("status", [Value(words("fields.status.\(status.rawValue)"))]), at: 0)
        }
        facts.append(fact("site", texts(event.site)))
        return entry(event.title ?? words("fields.untitled"), facts, event.description)
    }

    private func entry(_ card: CardFields.Card) -> PageModel {
        let facts = [
            fact("organisation", texts(card.organisation)), fact("role", texts(card.role)),
            fact("telephones", card.telephones.map(value)), fact("mails", card.mails.map(value)),
            fact("addresses", card.addresses.map(value)), fact("sites", card.sites.map { Value($0) }),
            fact("birthday", texts(card.birthday)),
        ]
        return entry(card.name ?? card.organisation ?? words("fields.unnamed"), facts, card.note)
    }

    private func entry(_ mail: MailFields) -> PageModel {
        var date: [Value] = []
        if let time = mail.date {
            var value = Value("")
            value.moment = formats.exactTime(Timestamp(time))
            date.append(value)
        }
        let attachments = mail.attachments.map { attachment in
            Value(attachment.name, aside: formats.size(max(attachment.size, 0)))
        }
        let facts = [
            fact("from", mail.from.compactMap(value)), fact("to", mail.to.compactMap(value)),
            fact("cc", mail.cc.compactMap(value)), fact("date", date), fact("attachments", attachments),
        ]
        return entry(words.subject(mail.subject), facts, mail.text ?? words("mail.wordless"))
    }

    private func entry(_ title: String, _ facts: [PageModel?], _ prose: String?) -> PageModel {
        let facts = facts.compactMap(\.self)
        return [
            "entryTitle": title, "facts": facts, "hasFacts": !facts.isEmpty,
            "prose": prose.map { ["words": $0] as PageModel }.orAbsent,
        ]
    }

    // MARK: Facts

    /// The value of a fact, behind its name.
    private struct Value {
        var text: String
        /// Kind of the value, or the answer of a person.
        var aside: String?
        /// For the template: a time, instead of the text.
        var moment: PageModel?

        init(_ text: String, aside: String? = nil) { (self.text, self.aside) = (text, aside) }

        var model: PageModel {
            // Said to be absent: a name that is missing is looked up in what stands around.
            [
                "said": text, "aside": aside.map { ["note": $0] as PageModel }.orAbsent,
                "moment": moment.orAbsent,
            ]
        }
    }

    /// Nil for one without values.
    private func fact(_ name: String, _ values: [Value]) -> PageModel? {
        guard !values.isEmpty else { return nil }
        return ["factName": words("fields.\(name)"), "values": values.map(\.model)]
    }

    private func texts(_ text: String?) -> [Value] { text.map { [Value($0)] } ?? [] }

    /// A time of the world in the reader's zone, another as it is written.
    private func value(_ time: CalendarTime?) -> Value? {
        guard let time else { return nil }
        let shown = formats.civil(time)
        guard let clock = time.clock, time.zone == .utc else {
            return Value(shown, aside: time.clock == nil ? nil : time.zone?.name)
        }
        var value = Value(shown)
        value.moment = ["datetime": "\(time.day.text)T\(clock.text)Z", "text": "\(shown) UTC"]
        return value
    }

    private func value(_ person: FieldPerson) -> Value? {
        let state = person.state.map { words("fields.state.\($0.rawValue)") }
        guard let name = person.name else { return person.address.map { Value($0, aside: state) } }
        return Value(person.address.map { "\(name) <\($0)>" } ?? name, aside: state)
    }

    private func value(_ entry: CardFields.Entry) -> Value {
        let types = entry.types.map { words("fields.type.\($0.rawValue)") }
        return Value(entry.value, aside: types.isEmpty ? nil : types.joined(separator: ", "))
    }

    /// `FREQ=WEEKLY;BYDAY=MO` in words, as far as there are some; else as it is written.
    private func repeats(_ rule: String) -> String {
        let parts = rule.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let frequency = parts.first { $0.count == 2 && $0[0].uppercased() == "FREQ" }?[1].lowercased() ?? ""
        let isEvery = !parts.contains { $0.count == 2 && $0[0].uppercased() == "INTERVAL" && $0[1] != "1" }
        guard isEvery, Self.frequencies.contains(frequency) else { return rule }
        return words("fields.every.\(frequency)")
    }
}
