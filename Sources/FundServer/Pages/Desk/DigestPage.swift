internal import Hummingbird
internal import FundCore
internal import Ingest

extension PageRoute {
    /// The news for an administrator in the morning, as `fundmail report misrouted --digest` says it.
    static func digestPage(_ call: PageCall) async throws -> Response {
        let digest = try await DeskDigest(of: call.administration, since: call.dayStart)
        let failing = try await call.parts.store.mail.mailboxStates().filter { $0.consecutiveFailures > 0 }
        let words = call.words
        let model: PageModel = [
            "summary": digest.oldest == nil
                ? words("desk.nothing") : words("digest.waiting", "\(digest.counts.waiting)", "\(digest.newCount)"),
            "oldest": digest.oldest.map { call.formats.agingTime($0.receivedAt) },
            "later": digest.counts.later > 0 ? words("digest.later", "\(digest.counts.later)") : nil,
            "today": words.today(digest.counts),
            "causes": digest.causes.map { cause in
                [
                    "first": "\(cause.first.id)", "title": words.cause(cause.first), "count": "\(cause.count)",
                    "age": call.formats.agingTime(cause.first.receivedAt),
                ] as PageModel
            },
            "hasCauses": !digest.causes.isEmpty,
            "others": digest.otherCauses > 0 ? words("digest.others", "\(digest.otherCauses)") : nil,
            "mailboxes": failing.map { state in
                [
                    "name": state.name,
                    "text": words(
                        "digest.failing", "\(state.consecutiveFailures)", words.isolated(state.lastError ?? "")),
                    "failing": state.failingSince.map(call.formats.span(since:)),
                ]
                    as PageModel
            },
            "hasMailboxes": !failing.isEmpty,
        ]
        return try await pageOfDesk("deskdigest", model, call, title: words("digest.title"))
    }
}
