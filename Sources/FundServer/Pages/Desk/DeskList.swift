internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import Ingest

/// Messages that wait, or that were put off, in groups by cause: the left side of the desk.
struct DeskList {
    /// Groups of a section, and messages of a group: the others are on the page of their cause.
    private static let maxGroups = 10
    private static let maxRows = 10
    private static let path = "/desk"

    let call: PageCall
    let isLater: Bool
    /// The page of one cause has its messages in sections.
    private(set) var filter: MisrouteFilter
    private let fields: [(name: String, value: String?)]
    private let query: QueryText

    /// - Parameter like: the messages of this one's cause alone.
    init(_ call: PageCall, isLater: Bool, like: MisrouteRecord.ID? = nil) throws {
        self.call = call
        self.isLater = isLater
        query = try call.query()
        filter = MisrouteFilter()
        filter.attention = isLater ? .later : .waiting
        filter.like = like
        // An act about a cause is about all of it: none of it is filtered away.
        guard like == nil else {
            fields = []
            return
        }
        if let word = query.word("reason"), !word.isEmpty {
            guard let reason = Reason(word: word) else { throw RequestError.invalid("there is no such reason") }
            filter.reasons = [reason]
        }
        filter.mailbox = query["mailbox"]
        filter.words = query["q"]
        fields = [("reason", query.word("reason")), ("mailbox", filter.mailbox), ("q", filter.words)]
            .filter { $0.value?.isEmpty == false }
    }

    var isFiltered: Bool { !fields.isEmpty }

    private var address: String {
        filter.like.map { "\(Self.path)/causes/\($0)" } ?? (isLater ? "\(Self.path)/later" : Self.path)
    }

    /// - Parameter shown: the message on the right side.
    /// - Returns: also the messages of all rows, in their order.
    func model(shown: MisrouteRecord.ID? = nil) async throws -> (model: PageModel, ids: [MisrouteRecord.ID]) {
        // Read first: later mail of a cause is not in the list.
        let last = try await call.administration.deskVersion().lastMessage
        var (groups, ids, paging): ([PageModel], [MisrouteRecord.ID], PageModel?) = ([], [], nil)
        if filter.like == nil {
            let list = "desk \(isLater)" + PageQueryText.text(fields)
            let section = PageQuery(limit: Self.maxGroups, cursor: try call.opened(query["cursor"], of: list))
            let causes = try await call.administration.causes(filter, section)
            let offers = try await call.parts.desk.offers(for: causes.items.map(\.first))
            for (cause, offers) in zip(causes.items, offers) {
                var like = filter
                like.like = cause.first.id
                let records =
                    cause.count == 1
                    ? [cause.first]
                    : try await call.administration.misroutes(like, PageQuery(limit: Self.maxRows)).items
                let infected = try await call.heldBack(records)
                let rows = records.map { row($0, offers.first, shown, infected) }
                groups.append(group(cause, rows, offers.first, shown, records))
                ids += records.map(\.id)
            }
            // Automatic mail is folded behind all that a person wrote.
            groups = groups.filter { !$0.isTrue("isAutomatic") } + groups.filter { $0.isTrue("isAutomatic") }
            paging = try call.paging(address, fields, next: causes.next, of: list)
        } else {
            let list = "desk \(address)" + PageQueryText.text(fields)
            let page = try await call.administration.misroutes(filter, try call.section(of: list))
            let offers = try await call.parts.desk.offers(for: Array(page.items.prefix(1)))
            let infected = try await call.heldBack(page.items)
            groups = [
                ["rows": page.items.map { row($0, offers.first?.first, shown, infected) }, "isWhole": true]
            ]
            ids = page.items.map(\.id)
            paging = try call.paging(address, fields, next: page.next, of: list)
        }
        let counts = try await call.administration.deskCounts(since: call.dayStart)
        var model: PageModel = [
            "groups": groups, "isEmpty": ids.isEmpty, "here": address + PageQueryText.text(fields), "isLater": isLater,
            "isFiltered": isFiltered, "whole": address, "q": filter.words ?? "", "mailbox": filter.mailbox ?? "",
            "atWaiting": !isLater,
            "reasons": Reason.allCases.map {
                PageModel.choice(
                    $0.rawValue, call.words("reason.\($0.rawValue)"), isChosen: filter.reasons.contains($0))
            },
            "today": call.words.today(counts), "trail": PageQueryText.text(fields),
        ]
        model["paging"] = paging
        model["last"] = "\(last)"
        model["isMailboxless"] = !call.pages.setup.hasMailboxes()
        model["waiting"] = counts.waiting > 0 ? "\(counts.waiting)" : nil
        return (model, ids)
    }

    private func group(
        _ cause: CauseRecord, _ rows: [PageModel], _ offer: FilingOffer?, _ shown: MisrouteRecord.ID?,
        _ records: [MisrouteRecord]
    ) -> PageModel {
        let first = cause.first
        let isMany = cause.count > 1
        var fileAll: PageModel?
        // It is about all that wait for the cause: a list that shows others, or a part, has no such button.
        if isMany, !isLater, !isFiltered, let offer, offer.isSafe(for: first) {
            fileAll = choice(offer)
            fileAll?["key"] = MisrouteCause(first).key
            fileAll?["label"] = call.words("desk.fileall", "\(cause.count)")
        }
        return [
            "fileAll": fileAll,
            "first": "\(first.id)", "title": call.words.cause(first), "count": "\(cause.count)",
            "oldest": call.formats.agingTime(first.receivedAt),
            "isAutomatic": first.reason == .autoReply || first.reason == .loop,
            "isUnverified": first.isUnverified,
            "rows": rows, "isMany": isMany,
            "rest": cause.count > records.count ? call.words("desk.rest", "\(cause.count)") : nil,
            "isOpen": records.contains { $0.id == shown },
        ]
    }

    /// - Parameter infected: the messages that carry malware.
    private func row(
        _ record: MisrouteRecord, _ offer: FilingOffer?, _ shown: MisrouteRecord.ID?, _ infected: Set<MisrouteRecord.ID>
    ) -> PageModel {
        let subject = TaggedSubject(record, call.words)
        var facts = [call.formats.size(record.size)]
        if record.attempts > 1 { facts.append(call.words("desk.attempts", "\(record.attempts)")) }
        if let until = record.putOffUntil, isLater {
            facts.append(call.words("desk.until", call.formats.time(until).text("text") ?? ""))
        }
        var row: PageModel = [
            "id": "\(record.id)", "sender": call.words.sender(record), "subject": subject.model,
            "name": record.subject ?? call.words("mail.nosubject"), "facts": facts.joined(separator: " · "),
            "time": call.formats.agingTime(record.receivedAt), "isShown": record.id == shown,
            "isInfected": infected.contains(record.id),
            "address": "\(Self.path)/messages/\(record.id)" + PageQueryText.text(fields),
        ]
        if let offer, offer.isSafe(for: record) { row["offer"] = choice(offer) }
        return row
    }

    private func choice(_ offer: FilingOffer) -> PageModel {
        ["fund": "\(offer.fund.id)", "fundName": offer.fund.name, "hue": FundHue.name(offer.fund.id)]
    }
}

extension PageModel {
    func isTrue(_ name: String) -> Bool { if case .flag(true) = value(name) { true } else { false } }
}

extension PageCall {
    /// When what the desk calls today began: the server does not know the reader's time zone.
    var dayStart: Timestamp { formats.now - .seconds(86_400) }
}
