package import FundCore

extension DeskService {
    /// An act that puts a cause right.
    package enum Remedy: Sendable, Hashable {
        /// The sender's address becomes one of this user's. `confirmedAddress`: as in `Filing`.
        case register(User.ID, confirmedAddress: String?)
        /// The tag becomes a fund of the sender's.
        case createFund
        /// The sender, who is disabled, has access again. Whether the mail is theirs was not looked at, so the address
        /// is to be named once more in any case.
        case enableSender(confirmedAddress: String?)

        var kind: DeskAct.Kind {
            switch self {
            case .register: .register
            case .createFund: .create
            case .enableSender: .enable
            }
        }
    }

    /// Puts the cause of the first message right, and files by the rules what waited for it: one act, so that one undo
    /// takes all of it back. Messages of another cause are refused.
    package func remedy(
        _ messages: [MisrouteRecord.ID], by remedy: Remedy, actor: DeskActor, onDisposition: Listener = { _, _ in }
    ) async throws -> ActReport {
        guard let first = messages.first else { return ActReport() }
        let model = try await store.misroute(first)
        let cause = MisrouteCause(model)
        let subject: DeskAct.Subject =
            switch remedy {
            case .register(let user, _): .init(user: user, name: model.sender)
            case .createFund: .init(user: model.user, name: model.tag)
            case .enableSender: .init(user: model.user)
            }
        var attempt: Result<Void, any Error>?
        return try await each(messages, remedy.kind, about: subject, actor, onDisposition) { id, act, report in
            let record = try await store.misroute(id)
            // The retry refuses a message that was filed or put aside, and says what became of it.
            if record.resolution == nil {
                guard MisrouteCause(record) == cause else { throw DeskError.otherCause }
                if attempt == nil {
                    do {
                        if try await apply(remedy, because: record, act, actor.name, &report) { report.act = act }
                        attempt = .success(())
                    } catch {
                        attempt = .failure(error)
                    }
                }
                try attempt?.get()
            }
            let disposition = try await retried(id, act, by: .administrator(actor.name))
            if case .stillKept = disposition { try await store.noteRerouted(id, in: act, actor: actor.name) }
            return disposition
        }
    }

    /// False when nothing had to be done.
    private func apply(
        _ remedy: Remedy, because record: MisrouteRecord, _ act: DeskAct.ID, _ actor: String, _ report: inout ActReport
    ) async throws -> Bool {
        switch remedy {
        case .register(let user, let confirmed):
            guard record.reason == .unknownSender,
                let rule = try Self.addressRule(record, for: user, confirmed)
            else { throw DeskError.otherCause }
            let owner = try await store.user(user).user
            guard !owner.isDisabled else {
                throw StoreError(.conflict, "register an address", "\(owner.email) is disabled")
            }
            let isNew = try await store.learn(rule, from: record.id, in: act, actor: actor)
            let named = NamedRule(rule: rule, fund: nil, owner: owner.email)
            report.rules.append((record.id, .learnt(named, isNew: isNew)))
            return isNew
        case .createFund:
            guard record.reason == .unknownFund, let owner = record.user, let tag = record.tag else {
                throw DeskError.otherCause
            }
            return try await store.createFund(tag, of: owner, from: record.id, in: act, actor: actor)
        case .enableSender(let confirmed):
            guard record.reason == .disabledSender, let user = record.user else { throw DeskError.otherCause }
            let email = try await store.user(user).user.email
            guard confirmed.flatMap({ EmailAddress($0) }) == EmailAddress(email) else {
                throw DeskError.unconfirmedAddress(email)
            }
            return try await store.enable(user, from: record.id, in: act, actor: actor)
        }
    }
}
