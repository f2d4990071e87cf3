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

    /// Messages of the list in their order, and the number of all that it is a part of.
    struct Order {
        var ids: [MisrouteRecord.ID] = []
        /// How many stand before each, also of those that are on the page of their cause.
        var places: [MisrouteRecord.ID: Int] = [:]
        var total = 0
    }

    /// - Parameter shown: the message on the right side.
    func model(shown: MisrouteRecord.ID? = nil) async throws -> (model: PageModel, order: Order) {
        // Read first: later mail of a cause is not in the list.
        let last = try await call.administration.deskVersion().lastMessage
        var (groups, order, paging): ([PageModel], Order, PageModel?) = ([], Order(), nil)
        order.total = try await call.administration.countMisroutes(filter)
        if filter.like == nil {
            let list = "desk \(isLater)" + PageQueryText.text(fields)
            let section = PageQuery(limit: Self.maxGroups, cursor: try call.opened(query["cursor"], of: list))
            let causes = try await call.administration.causes(filter, section)
            // Automatic mail is folded behind all that a person wrote.
            let found =
                causes.items.filter { !$0.first.reason.isAutomatic } + causes.items.filter(\.first.reason.isAutomatic)
            let offers = try await call.parts.desk.offers(for: found.map(\.first))
            var records: [[MisrouteRecord]] = []
            for cause in found { records.append(try await self.records(of: cause)) }
            let people = try await call.namesOfSenders(Array(records.joined()))
            var before = 0
            for ((cause, offers), records) in zip(zip(found, offers), records) {
                let infected = try await call.heldBack(records)
                let rows = records.map { row($0, shown, infected, people) }
                groups.append(group(cause, rows, offers.first, shown, records, people))
                for (index, record) in records.enumerated() { order.places[record.id] = before + index }
                before += cause.count
                order.ids += records.map(\.id)
            }
            paging = try call.paging(address, fields, next: causes.next, of: list)
        } else {
            let list = "desk \(address)" + PageQueryText.text(fields)
            let page = try await call.administration.misroutes(filter, try call.section(of: list))
            let infected = try await call.heldBack(page.items)
            let people = try await call.namesOfSenders(page.items)
            groups = [["rows": page.items.map { row($0, shown, infected, people) }, "isWhole": true]]
            order.ids = page.items.map(\.id)
            paging = try call.paging(address, fields, next: page.next, of: list)
        }
        let counts = try await call.administration.deskCounts(since: call.dayStart)
        var model: PageModel = [
            "groups": groups, "isEmpty": order.ids.isEmpty, "total": "\(order.total)",
            "here": address + PageQueryText.text(fields), "isLater": isLater,
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
        model["later"] = counts.later > 0 ? "\(counts.later)" : nil
        if order.ids.isEmpty, !isLater, !isFiltered, let next = counts.nextLaterAt {
            model["nextLater"] =
                ["parts": call.words.parts("desk.nextlater", [call.formats.moment(next)])] as PageModel
        }
        return (model, order)
    }

    /// The first messages of a cause; the others are on its page.
    private func records(of cause: CauseRecord) async throws -> [MisrouteRecord] {
        guard cause.count > 1 else { return [cause.first] }
        var like = filter
        like.like = cause.first.id
        return try await call.administration.misroutes(like, PageQuery(limit: Self.maxRows)).items
    }

    private func group(
        _ cause: CauseRecord, _ rows: [PageModel], _ offer: FilingOffer?, _ shown: MisrouteRecord.ID?,
        _ records: [MisrouteRecord], _ people: [String: String]
    ) -> PageModel {
        let first = cause.first
        let isMany = cause.count > 1
        var fileAll: PageModel?
        // It is about all that wait for the cause: a list that shows others, or a part, has a button for one alone.
        if let offer, offer.isSafe(for: first), !isMany || !isLater && !isFiltered {
            fileAll = choice(offer)
            fileAll?["act"] = isMany ? "all" : "file"
            fileAll?["label"] = isMany ? call.words("desk.fileall", "\(cause.count)") : call.words("desk.fileinto")
            if isMany { fileAll?["key"] = MisrouteCause(first).key }
        }
        return [
            "fileAll": fileAll,
            "first": "\(first.id)", "title": call.words.cause(first, people), "count": "\(cause.count)",
            "oldest": call.formats.span(since: first.receivedAt), "isAutomatic": first.reason.isAutomatic,
            "isUnverified": first.isUnverified,
            "rows": rows, "isMany": isMany,
            "rest": cause.count > records.count ? call.words("desk.rest", "\(cause.count)") : nil,
            "isOpen": records.contains { $0.id == shown },
        ]
    }

    /// - Parameter infected: the messages that carry malware.
    private func row(
        _ record: MisrouteRecord, _ shown: MisrouteRecord.ID?, _ infected: Set<MisrouteRecord.ID>,
        _ people: [String: String]
    ) -> PageModel {
        let subject = TaggedSubject(record, call.words, hidesTag: record.reason.isAboutTag)
        let name = DeskChoices(record).proposal == .file ? record.userEmail.flatMap { people[$0] } : nil
        let mark = SenderMark(record, name: name)
        var facts: [String] = []
        if record.attempts > 1 { facts.append(call.words("desk.attempts", "\(record.attempts)")) }
        if let until = record.putOffUntil, isLater {
            facts.append(call.words("desk.until", call.formats.time(until).text("text") ?? ""))
        }
        var row: PageModel = [
            "id": "\(record.id)", "sender": name ?? call.words.sender(record), "subject": subject.model,
            "name": call.words.subject(record.subject), "face": mark.text, "faceHue": mark.hue,
            "time": call.formats.agingTime(record.receivedAt), "isShown": record.id == shown,
            "isInfected": infected.contains(record.id),
            "address": "\(Self.path)/messages/\(record.id)" + PageQueryText.text(fields),
        ]
        if let files = record.fileCount, files > 0 { row["files"] = call.words.count("files", files) }
        if !facts.isEmpty { row["facts"] = facts.joined(separator: " · ") }
        return row
    }

    private func choice(_ offer: FilingOffer) -> PageModel {
        ["fund": "\(offer.fund.id)", "fundName": offer.fund.name, "hue": FundHue.name(offer.fund.id)]
    }
}

extension PageCall {
    /// Names of the registered people from whom messages are proven to come, by their addresses: a message that may be
    /// forged stands under its address.
    fileprivate func namesOfSenders(_ records: [MisrouteRecord]) async throws -> [String: String] {
        var references = AuditReferences()
        for record in records where DeskChoices(record).proposal == .file {
            if let email = record.userEmail { references.addresses.insert(email) }
        }
        guard !references.addresses.isEmpty else { return [:] }
        return try await administration.auditNames(of: references).people
    }

    /// When what the desk calls today began: the server does not know the reader's time zone.
    var dayStart: Timestamp { formats.now - .seconds(86_400) }
}
