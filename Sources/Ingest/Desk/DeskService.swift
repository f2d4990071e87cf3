internal import Dispatch
package import FundCore

/// Acts of administrators about kept mail, one message or many, for command line, web API and pages. The rules that
/// keep mail from the wrong person hold here:
///
/// - Into a fund of another person than the known sender only when that is confirmed.
/// - Mail whose sender no trust check confirmed only when it is said once more that it is genuine.
/// - Nothing is remembered of a sender who is ambiguous or whom the trust check refuted. A new address, which may be
///   forged, only when the trust check confirmed it, or when the administrator names it once more.
package struct DeskService: Sendable {
    /// Messages of one request; each is parsed, and committed by itself.
    package static let maxMessages = 500
    /// Messages are put off until then at most, the end of the year 9999 (UTC): later times have no date (RFC 3339).
    package static let latestTime = Timestamp(253_402_300_799)

    package let refiling: RefilingService
    let store: any Administration & Desk

    package init(refiling: RefilingService, store: any Administration & Desk) {
        self.refiling = refiling
        self.store = store
    }

    // MARK: Acts

    /// How messages are filed by hand.
    package struct Filing: Sendable {
        package var fund: Fund.ID
        /// Whether the next of the kind finds its way by itself.
        package var remembers: Bool
        /// Whether mail that was put aside is filed, too, see `FilingRight`.
        package var evenPutAside = false
        /// The fund may be another person's than the known sender's.
        package var isOwnerConfirmed: Bool
        /// Whether it is known to be genuine although no trust check confirmed the sender.
        package var isDespiteUnverified: Bool
        /// The address that may be remembered although no trust check confirmed it.
        package var confirmedAddress: String?

        package init(
            fund: Fund.ID, remembers: Bool?, isOwnerConfirmed: Bool?, isDespiteUnverified: Bool?,
            confirmedAddress: String? = nil
        ) {
            self.fund = fund
            self.isDespiteUnverified = isDespiteUnverified ?? false
            self.remembers = remembers ?? false
            self.isOwnerConfirmed = isOwnerConfirmed ?? false
            self.confirmedAddress = confirmedAddress
        }
    }

    /// The result of an act for one message.
    package enum Disposition: Sendable {
        case filed(StoredMessage)
        /// Put aside, or put off.
        case done
        case stillKept(RoutingDecision)
        case refused(any Error)
    }

    /// The result of an act, which can be undone as one.
    package struct ActReport: Sendable {
        /// Nil when nothing came of it.
        package var act: DeskAct.ID?
        package var dispositions: [(message: MisrouteRecord.ID, disposition: Disposition)] = []
        /// By message: what it taught, or why it taught nothing although that was asked for.
        package var rules: [(message: MisrouteRecord.ID, remembered: Remembered)] = []

        /// The error of the first message that was refused.
        package var failure: (any Error)? {
            for case (_, .refused(let error)) in dispositions { return error }
            return nil
        }

        /// The email that the first filed message became.
        package var email: EmailSummary.ID? {
            for case (_, .filed(let stored)) in dispositions { return stored.emailID }
            return nil
        }

        package var learnt: [String] {
            rules.compactMap { one in
                if case .learnt(let learnt, isNew: true) = one.remembered { learnt.rule.name } else { nil }
            }
        }
    }

    /// The result of the wish to remember a rule.
    package enum Remembered: Sendable {
        /// `isNew`: mail did not find its way by it before.
        case learnt(NamedRule, isNew: Bool)
        /// Another user or fund has the name, or the trust check did not confirm the address.
        case refused(any Error)
        /// The message was not kept for an address or a tag that is missing, but for this.
        case nothing(Reason)
    }

    /// A rule, with the name of the fund into which the message went, when one was named, and a user's address.
    package struct NamedRule: Sendable {
        package var rule: DeskRule
        package var fund: String?
        package var owner: String
    }

    /// Hears what became of each message at once, when there are many.
    package typealias Listener = (MisrouteRecord.ID, Disposition) throws -> Void

    /// Files each into the fund. What cannot be filed holds up no other, but for a store that can take nothing.
    package func assign(
        _ messages: [MisrouteRecord.ID], _ filing: Filing, actor: DeskActor, onDisposition: Listener = { _, _ in }
    ) async throws -> ActReport {
        let fund = try await store.fund(filing.fund).fund
        let owner = try await store.user(fund.owner).user
        var taught: Set<MisrouteCause> = []
        return try await each(messages, .assign, about: .init(fund: fund.id), actor, onDisposition) { id, act, report in
            let record = try await store.misroute(id)
            if DeskChoices(record).proposal == .putAside, !filing.isDespiteUnverified { throw try await doubt(record) }
            if let sender = record.user, sender != owner.id, !filing.isOwnerConfirmed {
                throw DeskError.otherOwner(sender: record.userEmail ?? "", fund: fund.name, owner: owner.email)
            }
            let right = FilingRight.administrator(actor.name, evenPutAside: filing.evenPutAside)
            let stored = try await refiling.assign(id, to: fund, of: owner, in: act, by: right)
            if filing.remembers, taught.insert(MisrouteCause(record)).inserted {
                let remembered = await remember(record, fund, owner, filing.confirmedAddress, act, actor.name)
                report.rules.append((id, remembered))
            }
            return .filed(stored)
        }
    }

    /// The refusal of a message that may be forged, with all senders that it names.
    private func doubt(_ record: MisrouteRecord) async throws -> DeskError {
        guard record.reason == .ambiguousSender else { return .unverified(record.sender ?? "") }
        return .severalSenders(Self.senders(in: try await refiling.read(record.id).content.header))
    }

    /// Senders of one message that are named at most.
    private static let maxSenders = 10

    /// All that the `From` fields of a header name, each once: addresses, and as it reads what is none.
    package static func senders(in header: MessageHeader?) -> [String] {
        let fields = header?.from ?? []
        let all = fields.flatMap { $0.addresses.isEmpty ? [$0.text] : $0.addresses.map(\.address) }
        var named: [String] = []
        for one in all where !one.isEmpty && !named.contains(one) { named.append(one) }
        return named.count > maxSenders ? named.prefix(maxSenders) + ["…"] : named
    }

    /// Registers the sender's address for the fund's owner, or the tag as an alias of the fund.
    private func remember(
        _ record: MisrouteRecord, _ fund: Fund, _ owner: User, _ confirmed: String?, _ act: DeskAct.ID,
        _ actor: String
    ) async -> Remembered {
        let rule: DeskRule
        switch record.reason {
        case .unknownSender:
            do {
                guard let address = try Self.addressRule(record, for: fund.owner, confirmed) else {
                    return .nothing(record.reason)
                }
                rule = address
            } catch {
                return .refused(error)
            }
        case .unknownFund:
            guard let tag = record.tag else { return .nothing(record.reason) }
            guard !record.isSenderUnproven else { return .refused(DeskError.unverified(record.sender ?? "")) }
            guard record.user == fund.owner else { return .refused(DeskError.tagOfAnother(tag, fund: fund.name)) }
            rule = .alias(tag, of: fund.id)
        default: return .nothing(record.reason)
        }
        do {
            let isNew = try await store.learn(rule, from: record.id, in: act, actor: actor)
            return .learnt(NamedRule(rule: rule, fund: fund.name, owner: owner.email), isNew: isNew)
        } catch {
            return .refused(error)
        }
    }

    /// Nil when there is no address. Throws `unconfirmedAddress` and `addressOfMany`.
    static func addressRule(
        _ record: MisrouteRecord, for user: User.ID, _ confirmed: String?
    ) throws(DeskError) -> DeskRule? {
        guard let sender = record.sender, let address = EmailAddress(sender) else { return nil }
        if let relay = record.relay { throw .addressOfMany(sender, relay.kind) }
        let isConfirmed = confirmed.flatMap { EmailAddress($0) } == address
        guard !record.isUnverified || isConfirmed else { throw .unconfirmedAddress(sender) }
        return .address(sender, of: user)
    }

    /// Routes each by the rules that hold now, and files what has a fund.
    /// - Parameter evenPutAside: whether mail that was put aside is filed, too, see `FilingRight`.
    package func retry(
        _ messages: [MisrouteRecord.ID], evenPutAside: Bool = false, actor: DeskActor,
        onDisposition: Listener = { _, _ in }
    ) async throws -> ActReport {
        let right = FilingRight.administrator(actor.name, evenPutAside: evenPutAside)
        return try await each(messages, .retry, actor, onDisposition) { id, act, _ in
            try await retried(id, act, by: right)
        }
    }

    func retried(_ id: MisrouteRecord.ID, _ act: DeskAct.ID, by right: FilingRight) async throws -> Disposition {
        switch try await refiling.retry(id, in: act, by: right) {
        case .filed(let stored): .filed(stored)
        case .stillKept(let decision): .stillKept(decision)
        }
    }

    package func reject(
        _ messages: [MisrouteRecord.ID], note: String, actor: DeskActor, onDisposition: Listener = { _, _ in }
    ) async throws -> ActReport {
        try await each(messages, .reject, actor, onDisposition) { id, act, _ in
            try await store.reject(id, note: note, in: act, actor: actor.name)
            return .done
        }
    }

    /// Nil shows them now.
    package func putOff(
        _ messages: [MisrouteRecord.ID], until: Timestamp?, actor: DeskActor
    ) async throws -> ActReport {
        try await each(messages, .later, actor, { _, _ in }) { id, act, _ in
            try await store.putOff(id, until: until, in: act, actor: actor.name)
            return .done
        }
    }

    /// Does one thing about each message, as one act; an act that came to nothing is discarded. Throws what no message
    /// is to blame for, when nothing was done before; else the rest is refused for it.
    func each(
        _ messages: [MisrouteRecord.ID], _ kind: DeskAct.Kind, about subject: DeskAct.Subject = .init(),
        _ actor: DeskActor, _ onDisposition: Listener,
        _ body: (MisrouteRecord.ID, DeskAct.ID, inout ActReport) async throws -> Disposition
    ) async throws -> ActReport {
        guard !messages.isEmpty else { return ActReport() }
        let act = try await store.begin(kind, about: subject, actor: actor.name)
        do {
            let report = try await each(messages, in: act, actor, onDisposition, body)
            if report.act == nil { try await store.discard(act) }
            return report
        } catch {
            try? await store.discard(act)  // an act without a step is not listed
            throw error
        }
    }

    private func each(
        _ messages: [MisrouteRecord.ID], in act: DeskAct.ID, _ actor: DeskActor, _ onDisposition: Listener,
        _ body: (MisrouteRecord.ID, DeskAct.ID, inout ActReport) async throws -> Disposition
    ) async throws -> ActReport {
        var (report, failure) = (ActReport(), nil as (any Error)?)
        for id in messages {
            if failure == nil {
                failure = Task.isCancelled ? CancellationError() : await actor.isAllowed() ? nil : DeskError.actorEnded
                if let failure, report.act == nil { throw failure }
            }
            var disposition: Disposition
            do {
                if let failure { throw failure }
                disposition = try await body(id, act, &report)
                if case .stillKept = disposition {} else { report.act = act }
            } catch {
                disposition = .refused(error)
                if failure == nil, !Self.isAboutOne(error) {
                    guard report.act != nil else { throw error }
                    failure = error
                }
            }
            report.dispositions.append((id, disposition))
            try onDisposition(id, disposition)
        }
        return report
    }

    static func isAboutOne(_ error: any Error) -> Bool {
        if error is DeskError { return true }
        guard let code = (error as? StoreError)?.code else { return false }
        return [.notFound, .alreadyResolved, .alreadyExists, .invalid, .conflict, .corrupted, .stale, .overQuota]
            .contains(code)
    }

    // MARK: Undoing

    /// Undoes what is left of an act, the latest first. What its owner went on with stays, and is refused. Throws
    /// `conflict` when nothing could be undone.
    /// - Returns: of each message whether it could be undone.
    package func undo(_ act: DeskAct.ID, actor: String) async throws -> ActReport {
        let about = try await store.act(act)
        let steps = try await store.steps(of: act)
        guard !steps.isEmpty else {
            throw StoreError(.conflict, "undo", "\(about.undoneBy ?? "fundmail") undid it before")
        }
        var (report, isDone, strangers) = (ActReport(), false, Set<User.ID>())
        report.act = act
        for step in steps {
            do {
                if let stranger = try await store.undo(step.id, actor: actor) { strangers.insert(stranger) }
                isDone = true
                if step.about == .message { report.dispositions.append((step.message, .done)) }
            } catch {
                guard Self.isAboutOne(error) else { throw error }
                report.dispositions.append((step.message, .refused(error)))
            }
        }
        for message in steps.filter({ $0.about == .rerouting }).map(\.message) {
            do { try await refiling.reroute(message) } catch { guard Self.isAboutOne(error) else { throw error } }
        }
        for stranger in strangers { try await store.purgeWithdrawn(from: stranger, actor: actor) }
        if !isDone, let failure = report.failure { throw failure }
        return report
    }

    // MARK: Looking at a message

    /// A kept message as an administrator sees it.
    package struct View: Sendable {
        package var record: MisrouteRecord
        package var content: ParseResult
        /// The present decision of the rules, with its steps.
        package var decision: RoutingDecision
        /// Where it may belong, best first.
        package var offers: [FilingOffer]
    }

    /// Reads a message that waits, which the audit trail notes.
    package func open(_ id: MisrouteRecord.ID, actor: String) async throws -> View {
        let record = try await store.misroute(id)
        let (content, decision) = try await refiling.read(id)
        try await store.noteOpened(id, fileCount: content.fileCount, actor: actor)
        let offers = try await offers(for: record, references: content.header?.references ?? [], try await directory())
        return View(record: record, content: content, decision: decision, offers: offers)
    }

    /// One file of a message that waits, which the audit trail notes. Throws as `RefilingService.attachment` does.
    package func attachment(
        _ index: Int, of id: MisrouteRecord.ID, upTo maxBytes: Int64, actor: String
    ) async throws -> (attachment: ParsedAttachment, bytes: [UInt8]) {
        let found = try await refiling.attachment(index, of: id, upTo: maxBytes)
        try await store.noteOpened(id, fileCount: nil, actor: actor)
        return found
    }

    /// Where each of the messages may belong, best first, as far as that is known without reading them.
    package func offers(for records: [MisrouteRecord]) async throws -> [[FilingOffer]] {
        let directory = try await directory()
        var offers: [[FilingOffer]] = []
        for record in records { offers.append(try await self.offers(for: record, references: [], directory)) }
        return offers
    }

    private func offers(
        for record: MisrouteRecord, references: [String], _ directory: RoutingDirectory
    ) async throws -> [FilingOffer] {
        let question = EvidenceQuestion(sender: record.sender, user: record.user, references: references)
        let evidence = try await store.evidence(question)
        return FilingOffers(directory: directory, record: record, evidence: evidence).best()
    }

    /// Funds whose name, an alias or owner's name holds the words, those that begin with them first; all for none.
    /// - Parameter most: how many at most.
    package func funds(matching words: String, most: Int) async throws -> [(fund: Fund, owner: User)] {
        let directory = try await directory()
        return try await DispatchQueue.global().run { () throws -> [(fund: Fund, owner: User)] in
            FundFinder(directory: directory).funds(matching: words, most: most)
        }
    }

    /// It may have to be read from the disk.
    private func directory() async throws -> RoutingDirectory {
        try await DispatchQueue.global().run { [refiling] in try refiling.directory() }
    }
}
