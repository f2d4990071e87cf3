package import FundCore

extension DeskService {
    /// What puts a cause right.
    package enum Remedy: Sendable, Hashable {
        /// The sender's address becomes one of this user's. `confirmedAddress`: as in `Filing`.
        case register(User.ID, confirmedAddress: String?)
        /// The tag becomes a fund of the sender's.
        case createFund
        /// The sender, who is disabled, may send again.
        case enableSender

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
    package func cure(
        _ messages: [MisrouteRecord.ID], by remedy: Remedy, actor: String, onEnding: Listener = { _, _ in }
    ) async throws -> ActReport {
        var cured: MisrouteCause?
        return try await each(messages, remedy.kind, actor, onEnding) { id, act, report in
            let record = try await store.misroute(id)
            // The retry says what became of a message that was settled meanwhile.
            if record.resolution == nil {
                let cause = MisrouteCause(record)
                guard cured.map({ $0 == cause }) ?? true else { throw DeskError.otherCause }
                if cured == nil {
                    if try await apply(remedy, because: record, act, actor, &report) { report.act = act }
                    cured = cause
                }
            }
            return try await retried(id, act, actor)
        }
    }

    /// False when nothing had to be done.
    private func apply(
        _ remedy: Remedy, because record: MisrouteRecord, _ act: DeskAct.ID, _ actor: String, _ report: inout ActReport
    ) async throws -> Bool {
        switch remedy {
        case .register(let user, let confirmed):
            guard record.reason == .unknownSender,
                let lesson = try Self.addressLesson(record, for: user, confirmed)
            else { throw DeskError.otherCause }
            let owner = try await store.user(user).user
            let isNew = try await store.learn(lesson, from: record.id, in: act, actor: actor)
            let learning = Learning(lesson: lesson, fund: nil, owner: owner.email)
            report.lessons.append((record.id, .learnt(learning, isNew: isNew)))
            return isNew
        case .createFund:
            guard record.reason == .unknownFund, let owner = record.user, let tag = record.tag else {
                throw DeskError.otherCause
            }
            try await store.createFund(tag, of: owner, from: record.id, in: act, actor: actor)
            return true
        case .enableSender:
            guard record.reason == .disabledSender, let user = record.user else { throw DeskError.otherCause }
            return try await store.enable(user, from: record.id, in: act, actor: actor)
        }
    }
}
