import FundCore

/// Reads the first events and tasks of iCalendar (RFC 5545). What is no value by it is left out.
struct CalendarReader {
    private var room = FieldRoom()
    private var fields = CalendarFields(name: nil, events: [], hasMore: false)
    /// Components that are open, the innermost last, in upper case.
    private var open: [String] = []
    private var event: Entry?

    /// An event as it is read.
    private struct Entry {
        var event = CalendarFields.Event()
        var start: CivilTime?
        var end: CivilTime?
        var duration: Int?
        var isTask = false
    }

    private init() {}

    /// Nil for a text without events and tasks.
    /// - Parameters:
    ///   - bytes: UTF-8 without byte order mark.
    ///   - isWhole: the file has no more text.
    static func fields(of bytes: [UInt8], isWhole: Bool) -> CalendarFields? {
        var reader = CalendarReader()
        reader.fields.hasMore = !isWhole
        for line in ContentLines(bytes) {
            guard reader.fields.events.count < FieldLimits.maxEvents, !reader.room.isFull else {
                // The rest may hold no event: then nothing is missing.
                reader.fields.hasMore = reader.fields.hasMore || line.beginsEvent || reader.event != nil
                if reader.fields.hasMore { break }
                continue
            }
            reader.read(line)
        }
        reader.endEvent()
        reader.fields.hasMore = reader.fields.hasMore || reader.room.hasLeftOut
        return reader.fields.events.isEmpty ? nil : reader.fields
    }

    private mutating func read(_ line: ContentLine) {
        if let name = line.begins {
            // Alarms and time zones stand in events and calendars, no deeper.
            if open.count < 8 { open.append(name) }
            if line.beginsEvent {
                endEvent()
                event = Entry()
                event?.isTask = name == "VTODO"
            }
        } else if let name = line.ends {
            if let index = open.lastIndex(of: name) { open.removeSubrange(index...) }
            if name == "VEVENT" || name == "VTODO" { endEvent() }
        } else if event != nil, open.last == "VEVENT" || open.last == "VTODO" {
            readProperty(line)
        } else if fields.name == nil, ["X-WR-CALNAME", "NAME"].contains(line.name), open.count <= 1 {
            fields.name = room.line(line.text)
        }
    }

    private mutating func readProperty(_ line: ContentLine) {
        switch line.name {
        case "SUMMARY": if event?.event.title == nil { event?.event.title = room.line(line.text) }
        case "DTSTART": event?.start = CivilTime(line)
        case "DTEND", "DUE": event?.end = CivilTime(line)
        case "DURATION": event?.duration = CivilTime.seconds(ofDuration: line.value)
        case "LOCATION": if event?.event.place == nil { event?.event.place = room.line(line.text) }
        case "STATUS": event?.event.status = CalendarFields.Status(rawValue: Self.word(line.value))
        case "RRULE": event?.event.repeats = room.line(line.text, atMost: 200)
        case "URL": event?.event.site = room.line(line.text)
        case "DESCRIPTION": if event?.event.description == nil { event?.event.description = room.text(line.text) }
        case "ORGANIZER":
            let organiser = person(line)
            event?.event.organiser = organiser
        case "ATTENDEE":
            guard let count = event?.event.attendees.count, count < FieldLimits.maxAttendees,
                let person = person(line)
            else {
                event?.event.hasMoreAttendees = true
                return
            }
            event?.event.attendees.append(person)
        default: break
        }
    }

    private mutating func person(_ line: ContentLine) -> FieldPerson? {
        var address = line.text
        if ASCII.lowercased(address.utf8.prefix(7)) == "mailto:" { address.removeFirst(7) }
        let person = FieldPerson(
            name: line.parameter("CN").flatMap { room.line($0, atMost: 200) },
            address: room.line(address, atMost: 200),
            state: line.parameter("PARTSTAT").flatMap { FieldPerson.State(rawValue: Self.word(Array($0.utf8))) })
        return person.name == nil && person.address == nil ? nil : person
    }

    /// Reads one of a list of words that a program may choose from.
    private static func word(_ bytes: [UInt8]) -> String { ASCII.lowercased(ASCII.trimmed(bytes[...])) }

    private mutating func endEvent() {
        guard var entry = event else { return }
        event = nil
        // The last one may be followed by one that no END divides from it.
        guard fields.events.count < FieldLimits.maxEvents else {
            fields.hasMore = true
            return
        }
        if entry.end == nil, let start = entry.start, let duration = entry.duration {
            entry.end = start.adding(seconds: duration)
        }
        // RFC 5545 §3.6.1: the end of whole days is the first day that is none of them.
        if let end = entry.end, end.second == nil, !entry.isTask {
            let last = end.adding(seconds: -CivilDate.secondsPerDay)
            entry.end = last.flatMap { last in entry.start.map { last.day > $0.day } ?? false ? last : nil }
        }
        if entry.end == entry.start { entry.end = nil }
        entry.event.start = entry.start.map { time($0) }
        entry.event.end = entry.end.map { time($0) }
        if entry.event != CalendarFields.Event() { fields.events.append(entry.event) }
    }

    /// Names of zones are texts of the file, too.
    private mutating func time(_ civil: CivilTime) -> CalendarTime {
        var time = civil.time
        if case .named(let name) = time.zone { time.zone = room.line(name, atMost: 64).map { CalendarTime.Zone($0) } }
        return time
    }
}

extension ContentLine {
    fileprivate var beginsEvent: Bool { begins == "VEVENT" || begins == "VTODO" }
}
