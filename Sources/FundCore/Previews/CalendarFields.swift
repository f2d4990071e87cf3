/// The first events and tasks of a file of iCalendar (RFC 5545).
package struct CalendarFields: Sendable, Hashable, Codable {
    /// STATUS of VEVENT and VTODO (RFC 5545 §3.8.1.11).
    package enum Status: String, FieldWord {
        case tentative, confirmed, cancelled, completed
        case needsAction = "needs-action"
        case inProcess = "in-process"
    }

    /// VEVENT, or VTODO.
    package struct Event: Sendable, Hashable, Codable {
        /// SUMMARY.
        package var title: String?
        /// DTSTART; tasks may have none.
        package var start: CalendarTime?
        /// End of the entry, or its last day; for a task the time when it is due.
        package var end: CalendarTime?
        /// LOCATION.
        package var place: String?
        package var organiser: FieldPerson?
        /// In the order of the file, `FieldLimits.maxAttendees` at most.
        package var attendees: [FieldPerson] = []
        /// Some are left out: there are too many, they have no name and no address, or there is no room for them.
        package var hasMoreAttendees = false
        package var status: Status?
        /// RRULE, as it is written.
        package var repeats: String?
        /// URL, as it is written: of any scheme.
        package var site: String?
        /// In lines; one that is too long is cut and ends with `…`.
        package var description: String?

        package init() {}
    }

    /// Name of the calendar: X-WR-CALNAME, or NAME (RFC 7986 §5.1).
    package var name: String?
    /// In the order of the file, `FieldLimits.maxEvents` at most.
    package var events: [Event]
    /// Events, or texts of those that are here, are left out.
    package var hasMore: Bool

    package init(name: String?, events: [Event], hasMore: Bool) {
        self.name = name
        self.events = events
        self.hasMore = hasMore
    }
}

/// A day, or a time of a day in some zone (RFC 5545 §3.3.5).
package struct CalendarTime: Sendable, Hashable {
    /// By whose clock a time is.
    package enum Zone: Sendable, Hashable {
        case utc
        /// By the name that the file gives.
        case named(String)

        package init(_ name: String) { self = name == Self.utc.name ? .utc : .named(name) }

        package var name: String {
            switch self {
            case .utc: "UTC"
            case .named(let name): name
            }
        }
    }

    package var day: CivilDate
    /// Nil for a whole day.
    package var clock: ClockTime?
    /// Nil for the local time of each reader.
    package var zone: Zone?

    package init(_ day: CivilDate, _ clock: ClockTime? = nil, zone: Zone? = nil) {
        self.day = day
        self.clock = clock
        self.zone = zone
    }
}

/// Written as texts: `2026-11-25`, `09:00:00` and `UTC`. A text that is no day or no time is refused.
extension CalendarTime: Codable {
    private enum Keys: String, CodingKey { case date, time, zone }

    package init(from decoder: any Decoder) throws {
        let texts = try decoder.container(keyedBy: Keys.self)
        guard let day = CivilDate(try texts.decode(String.self, forKey: .date)) else {
            throw DecodingError.dataCorruptedError(forKey: .date, in: texts, debugDescription: "no day")
        }
        let time = try texts.decodeIfPresent(String.self, forKey: .time)
        let clock = time.flatMap { ClockTime($0) }
        guard (time == nil) == (clock == nil) else {
            throw DecodingError.dataCorruptedError(forKey: .time, in: texts, debugDescription: "no time of a day")
        }
        self.init(day, clock, zone: try texts.decodeIfPresent(String.self, forKey: .zone).map { Zone($0) })
    }

    package func encode(to encoder: any Encoder) throws {
        var texts = encoder.container(keyedBy: Keys.self)
        try texts.encode(day.text, forKey: .date)
        try texts.encodeIfPresent(clock?.text, forKey: .time)
        try texts.encodeIfPresent(zone?.name, forKey: .zone)
    }
}
