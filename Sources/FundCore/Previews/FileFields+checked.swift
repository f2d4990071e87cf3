extension FileFields {
    /// The fields within `FieldLimits`, with texts as `String.label` has them: what is too much is left out and said to
    /// be missing. Fields as a reader makes them come back equal.
    /// - Parameter type: of the file that was read.
    /// - Returns: nil for fields of another kind of file, and for a mail, which no converter reads.
    package func checked(for type: TrueType) -> FileFields? {
        switch (self, type) {
        case (.table(let table), .text): table.checked.map { .table($0) }
        case (.calendar(let calendar), .calendar): .calendar(calendar.checked)
        case (.card(let cards), .card): .card(cards.checked)
        default: nil
        }
    }
}

extension TableFields {
    fileprivate var checked: TableFields? {
        guard FieldLimits.delimiters.contains(delimiter) else { return nil }
        let shown = rows.prefix(FieldLimits.maxRows)
        let cells = shown.map { row in
            row.prefix(FieldLimits.maxColumns).map { $0.checkedLine(atMost: FieldLimits.maxCellBytes) }
        }
        return TableFields(
            delimiter: delimiter, rows: cells, hasMoreRows: hasMoreRows || rows.count > shown.count,
            hasMoreColumns: hasMoreColumns || shown.contains { $0.count > FieldLimits.maxColumns })
    }
}

extension CalendarFields {
    fileprivate var checked: CalendarFields {
        let shown = events.prefix(FieldLimits.maxEvents)
        return CalendarFields(
            name: name?.checkedLine(), events: shown.map(\.checked), hasMore: hasMore || events.count > shown.count)
    }
}

extension CalendarFields.Event {
    fileprivate var checked: CalendarFields.Event {
        var event = self
        event.title = title?.checkedLine()
        event.start?.zone = start?.zone.map { CalendarTime.Zone($0.name.checkedLine()) }
        event.end?.zone = end?.zone.map { CalendarTime.Zone($0.name.checkedLine()) }
        event.place = place?.checkedLine()
        event.organiser = organiser?.checked
        event.attendees = attendees.prefix(FieldLimits.maxAttendees).map(\.checked)
        event.hasMoreAttendees = hasMoreAttendees || attendees.count > FieldLimits.maxAttendees
        event.repeats = repeats?.checkedLine()
        event.site = site?.checkedLine()
        event.description = description?.checkedText
        return event
    }
}

extension FieldPerson {
    fileprivate var checked: FieldPerson {
        FieldPerson(name: name?.checkedLine(), address: address?.checkedLine(), state: state)
    }
}

extension CardFields {
    fileprivate var checked: CardFields {
        let shown = cards.prefix(FieldLimits.maxCards)
        return CardFields(cards: shown.map(\.checked), hasMore: hasMore || cards.count > shown.count)
    }
}

extension CardFields.Card {
    fileprivate var checked: CardFields.Card {
        var card = self
        card.name = name?.checkedLine()
        card.organisation = organisation?.checkedLine()
        card.role = role?.checkedLine()
        card.telephones = telephones.prefix(FieldLimits.maxEntries).map(\.checked)
        card.mails = mails.prefix(FieldLimits.maxEntries).map(\.checked)
        card.addresses = addresses.prefix(FieldLimits.maxEntries).map(\.checked)
        card.sites = sites.prefix(FieldLimits.maxEntries).map { $0.checkedLine() }
        card.birthday = birthday?.checkedLine()
        card.note = note?.checkedText
        return card
    }
}

extension CardFields.Entry {
    fileprivate var checked: CardFields.Entry {
        CardFields.Entry(value: value.checkedLine(), types: Set(types).sorted())
    }
}

extension String {
    fileprivate func checkedLine(atMost limit: Int = FieldLimits.maxLineBytes) -> String {
        label.prefix(bytes: limit + FieldLimits.ellipsis.utf8.count)
    }

    /// The checked form of several lines.
    fileprivate var checkedText: String {
        let lines = utf8.split(separator: .lf, omittingEmptySubsequences: false)
        let shown = lines.map { String(decoding: $0, as: UTF8.self).label }.joined(separator: "\n")
        return shown.prefix(bytes: FieldLimits.maxTextBytes + FieldLimits.ellipsis.utf8.count)
    }
}
