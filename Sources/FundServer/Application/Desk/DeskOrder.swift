internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Ingest

/// An act at the desk that an administrator asks for, and the messages that it is about.
struct DeskOrder {
    enum Messages {
        case these([MisrouteRecord.ID])
        /// All that wait for the same cause as the first, up to the last that was shown. `cause` is the one that was
        /// shown: the message may wait for another by now.
        case like(MisrouteRecord.ID, upTo: MisrouteRecord.ID?, cause: String?)
    }

    enum Act {
        case assign(DeskService.Filing)
        case remedy(DeskService.Remedy)
        case retry
        case reject(note: String)
        /// Nil shows them now.
        case later(until: Timestamp?)
    }

    /// It stands in the audit trail, and in the report.
    private static let maxNoteBytes = 2000

    var act: Act
    var messages: Messages

    /// Does it. Throws what keeps all of it from being done; what is about one message stands in the report.
    /// - Returns: also how many messages are left that one act may not be about.
    func carryOut(_ call: some UserCall) async throws -> (report: DeskService.ActReport, left: Int) {
        let (messages, left) = try await chosen(call)
        let desk = call.parts.desk
        let actor = DeskActor(try call.user.email) { await call.isStillAdministrator() }
        let report: DeskService.ActReport
        switch act {
        case .assign(var filing):
            // The messages of a cause were not looked at one by one: one word files none of them that may be forged.
            if case .like = self.messages { filing.isDespiteUnverified = false }
            report = try await desk.assign(messages, filing, actor: actor)
        case .remedy(let remedy): report = try await desk.remedy(messages, by: remedy, actor: actor)
        case .retry: report = try await desk.retry(messages, actor: actor)
        case .reject(let note):
            guard note.utf8.count <= Self.maxNoteBytes else { throw RequestError.invalid("the note is too long") }
            report = try await desk.reject(messages, note: note, actor: actor)
        case .later(let until):
            guard until.map({ $0 > call.parts.authenticator.now() && $0 <= DeskService.latestTime }) ?? true else {
                throw RequestError.invalid("until must be a time to come, not after the year 9999")
            }
            report = try await desk.putOff(messages, until: until, actor: actor)
        }
        return (report, left)
    }

    /// At most as many as one act may be about, and how many more there are.
    private func chosen(_ call: some UserCall) async throws -> ([MisrouteRecord.ID], left: Int) {
        let most = DeskService.maxMessages
        switch messages {
        case .these(let messages):
            guard !messages.isEmpty, messages.count <= most, Set(messages).count == messages.count,
                messages.allSatisfy({ $0.rawValue > 0 })
            else { throw RequestError.invalid("messages must name 1 to \(most) messages, each once") }
            return (messages, 0)
        case .like(let like, let upTo, let cause):
            var filter = MisrouteFilter()
            // Messages that are put off are shown again; no other act reaches them by their cause.
            let isShowing = if case .later(until: nil) = act { true } else { false }
            (filter.like, filter.upTo, filter.attention) = (like, upTo, isShowing ? .later : .waiting)
            let found = MisrouteCause(try await call.administration.misroute(like))
            guard cause.map({ $0 == found.key }) ?? true else {
                throw RequestError(.conflict, "conflict", "message \(like) waits for another cause by now")
            }
            let total = try await call.administration.countMisroutes(filter)
            let page = try await call.administration.misroutes(filter, PageQuery(limit: most))
            return (page.items.map(\.id), total - page.items.count)
        }
    }
}
