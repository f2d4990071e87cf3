/// The first events and tasks of a file of iCalendar (RFC 5545).
package struct CalendarFields: Sendable, Hashable, Codable {
    /// VEVENT, or VTODO.
    package struct Event: Sendable, Hashable, Codable {
        /// SUMMARY.
        package var title: String?
        /// DTSTART; tasks may have none.
        package var start: CalendarTime?
        /// When it is over; of whole days the last one. Of a task when it is due.
        package var end: CalendarTime?
        /// LOCATION.
        package var place: String?
        package var organiser: FieldPerson?
        /// In the order of the file, `FieldLimits.maxAttendees` at most.
        package var attendees: [FieldPerson] = []
        /// Some are left out: there are too many, they have no name and no address, or there is no room for them.
        package var hasMoreAttendees = false
        /// STATUS in lower case: `confirmed`, `tentative`, `cancelled` …
        package var status: String?
        /// RRULE, as it is written.
        package var repeats: String?
        /// URL, as it is written: of any scheme.
        package var site: String?
        /// In lines; one that is too long is cut and ends with `…`.
        package var description: String?

        package init() {}
    }

    /// Of the calendar: X-WR-CALNAME, or NAME (RFC 7986 §5.1).
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
package struct CalendarTime: Sendable, Hashable, Codable {
    /// `2026-11-25`, a day that exists.
    package var date: String
    /// `09:00:00`; nil for a whole day.
    package var time: String?
    /// `UTC`, or the name that the file gives; nil for the local time of each reader.
    package var zone: String?

    package init(date: String, time: String? = nil, zone: String? = nil) {
        self.date = date
        self.time = time
        self.zone = zone
    }
}
