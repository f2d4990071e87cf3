internal import FundHTTP
internal import FundCore

/// The filter of a list of files or mail, as its address has it. Links of the list carry it along.
struct ListFilter {
    /// Senders who are offered.
    private static let maxSenders = 8
    /// Numbers of days that are offered.
    private static let periods = [7, 30, 365]

    /// Nil for all, and always for mail.
    let kind: FileFilter.Kind?
    let sender: String?
    private let days: DayRange

    /// Throws 400 for another kind, and for text that is no day.
    init(_ query: QueryText, hasKinds: Bool = true) throws {
        let word = hasKinds ? query.word("kind").flatMap { $0.isEmpty ? nil : $0 } : nil
        kind = word.flatMap(FileFilter.Kind.init(rawValue:))
        guard kind != nil || word == nil else {
            let kinds = FileFilter.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw RequestError.invalid("kind must be one of \(kinds)")
        }
        (sender, days) = (query["sender"], DayRange(query))
        if let field = days.problem { throw RequestError.invalid("\(field) must be a day such as 2026-01-31") }
    }

    var isNarrow: Bool { fields.contains { $0.value != nil } }

    var fields: [(name: String, value: String?)] { [("kind", kind?.rawValue), ("sender", sender)] + days.fields }

    var files: FileFilter {
        var filter = FileFilter()
        (filter.kind, filter.sender, filter.since, filter.until) = (kind, sender, days.since, days.until)
        return filter
    }

    /// Mail of a fund.
    func mail(in fund: Fund.ID) -> EmailQuery {
        var query = EmailQuery()
        (query.fund, query.sender, query.since, query.until) = (fund, sender, days.since, days.until)
        return query
    }

    // MARK: Chips

    /// One part of the filter, by the first field of the address that has it.
    private enum Part: String, CaseIterable {
        case kind, sender, since
    }

    /// For the templates `filterchips` and `filtermenus`.
    /// - Parameters:
    ///   - path: of the list without a query.
    ///   - kept: fields of its query that are no part of the filter.
    func model(
        _ path: String, keeping kept: [(name: String, value: String?)], in fund: Fund.ID, hasKinds: Bool,
        _ call: PageCall
    ) async throws -> PageModel {
        let senders = try await call.library.senders(in: fund, atMost: Self.maxSenders, of: try call.userID)
        let today = DateText.Parts(call.formats.now).daysSince1970
        let parts = Part.allCases.filter { $0 != .kind || hasKinds }
        return [
            "chips": parts.map { part -> PageModel in
                let text = text(of: part, call)
                return [
                    "part": part.rawValue, "label": call.words("filter.\(part.rawValue)"), "chosen": text.orAbsent,
                    "without": path + PageQueryText.text(kept + fields(setting: part, to: nil)),
                ]
            },
            "hasParts": parts.contains { text(of: $0, call) == nil }, "filterPath": path, "isNarrow": isNarrow,
            "unfiltered": path + PageQueryText.text(kept),
            "filterKinds": hasKinds
                ? FileFilter.Kind.allCases.map { link(.kind, $0.rawValue, path, kept, call.words("filter.\($0)")) }
                : [],
            "filterSenders": senders.map { link(.sender, $0, path, kept, $0) },
            "filterPeriods": Self.periods.map { count in
                let day = CivilDate(daysSince1970: today - count).text
                return link(.since, day, path, kept, call.words("filter.days", "\(count)"))
            },
            // Forms leave out what they set themselves.
            "withoutSender": hidden(kept + fields(setting: .sender, to: nil)),
            "withoutDays": hidden(kept + fields(setting: .since, to: nil)), "filterSender": sender ?? "",
            "filterSince": days.sinceText ?? "", "filterUntil": days.untilText ?? "",
        ]
    }

    private func link(
        _ part: Part, _ value: String, _ path: String, _ kept: [(name: String, value: String?)], _ text: String
    ) -> PageModel {
        ["text": text, "address": path + PageQueryText.text(kept + fields(setting: part, to: value))]
    }

    private func hidden(_ fields: [(name: String, value: String?)]) -> [PageModel] {
        fields.compactMap { field in field.value.map { ["name": field.name, "value": $0] } }
    }

    /// The fields of the filter with another value of one part; days begin by UTC then.
    private func fields(setting part: Part, to value: String?) -> [(name: String, value: String?)] {
        [
            ("kind", part == .kind ? value : kind?.rawValue), ("sender", part == .sender ? value : sender),
        ] + (part == .since ? [("since", value)] : days.fields)
    }

    /// The chosen value of a part, in words; nil for none.
    private func text(of part: Part, _ call: PageCall) -> String? {
        switch part {
        case .kind: return kind.map { call.words("filter.\($0.rawValue)") }
        case .sender: return sender
        case .since:
            let shown = [days.sinceText, days.untilText].map { $0.flatMap(CivilDate.init).map(call.formats.date) }
            return switch (shown[0], shown[1]) {
            case (let since?, let until?): call.words("filter.between", since, until)
            case (let since?, nil): call.words("filter.from", since)
            case (nil, let until?): call.words("filter.until", until)
            case (nil, nil): nil
            }
        }
    }
}
