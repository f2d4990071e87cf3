internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// What an administrator wants to know in the morning, as `fundmail report misrouted --digest` says it.
    static func digestPage(_ call: PageCall) async throws -> Response {
        let desk = call.administration
        let since = call.dayStart
        let counts = try await desk.deskCounts(since: since)
        var filter = MisrouteFilter()
        filter.attention = .waiting
        // The first of a page, which is in the order of their oldest messages.
        var (causes, cursor): ([CauseRecord], String?) = ([], nil)
        repeat {
            let page = try await desk.causes(filter, PageQuery(cursor: cursor))
            causes += page.items
            cursor = page.next
        } while cursor != nil
        filter.since = since
        let new = try await desk.countMisroutes(filter)
        let most = causes.sorted { ($0.count, $1.first.id) > ($1.count, $0.first.id) }
        let failing = try await call.parts.store.mail.mailboxStates().filter { $0.consecutiveFailures > 0 }
        let words = call.words
        let model: PageModel = [
            "summary": causes.isEmpty ? words("desk.nothing") : words("digest.waiting", "\(counts.waiting)", "\(new)"),
            "oldest": causes.first.map { call.formats.agingTime($0.first.receivedAt) },
            "later": counts.later > 0 ? words("digest.later", "\(counts.later)") : nil,
            "today": words("desk.today", "\(counts.filedByRule)", "\(counts.filedByHand)", "\(counts.putAside)"),
            "causes": most.prefix(10).map { cause in
                [
                    "first": "\(cause.first.id)", "title": words.cause(cause.first), "count": "\(cause.count)",
                    "age": call.formats.agingTime(cause.first.receivedAt),
                ] as PageModel
            },
            "hasCauses": !causes.isEmpty,
            "others": most.count > 10 ? words("digest.others", "\(most.count - 10)") : nil,
            "mailboxes": failing.map { state in
                [
                    "name": state.name,
                    "text": words(
                        "digest.failing", "\(state.consecutiveFailures)", words.isolated(state.lastError ?? "")),
                ]
                    as PageModel
            },
            "hasMailboxes": !failing.isEmpty,
        ]
        return try await officePage("deskdigest", model, call, title: words("digest.title"))
    }
}
