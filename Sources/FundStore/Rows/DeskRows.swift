import FundCore

/// The rows of what was done at the desk, within one write transaction.
struct DeskRows {
    let db: Database
    let actor: String
    let now: Timestamp

    /// Raw values stand in the database.
    enum StepKind: String, CaseIterable {
        /// Something was done to a message.
        case file, reject, putOff = "put_off"
        /// A cause was put right: an address or an alias was learnt, a fund was made, the sender was enabled.
        case learn, create, enable
        /// The message waits for another cause, by the rules after that.
        case reroute

        var about: DeskStep.About {
            switch self {
            case .file, .reject, .putOff: .message
            case .learn, .create, .enable: .remedy
            case .reroute: .rerouting
            }
        }
    }

    /// Condition on rows of `desk_step` that are about their message.
    static let isAboutMessage: String = {
        let kinds = StepKind.allCases.filter { $0.about == .message }.map { "'\($0.rawValue)'" }
        return "desk_step.kind IN (\(kinds.joined(separator: ", ")))"
    }()

    /// One step, with what its kind needs to be undone.
    struct Step {
        var kind: StepKind
        var message: MisrouteRecord.ID
        var emailID: EmailSummary.ID?
        /// The fund that was made.
        var fund: Fund.ID?
        var userBefore: User.ID?
        var putOffBefore: Timestamp?
        var learnt: LearntRule.ID?
    }

    func add(_ step: Step, to act: DeskAct.ID) throws {
        if step.kind == .file {
            // A filed message is not put aside any more: there is nothing to undo of that.
            try db.execute(
                """
                UPDATE desk_step SET undone_at = ?, undone_by = ?
                WHERE misroute_id = ? AND kind = ? AND undone_at IS NULL
                """, [now, actor, step.message, StepKind.reject.rawValue])
        }
        let filed = try step.emailID.flatMap { try FiledState($0, db) }
        try db.execute(
            """
            INSERT INTO desk_step (act_id, misroute_id, kind, email_id, fund_id, files, last_file_id, user_before,
                put_off_before, learnt_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                act, step.message, step.kind.rawValue, step.emailID, filed?.fund ?? step.fund, filed?.files,
                filed == nil ? nil : try db.value("SELECT max(id) FROM file") ?? 0 as Int64, step.userBefore,
                step.putOffBefore, step.learnt,
            ])
    }

    // MARK: What was learnt

    /// The name of a rule in the form in which it is compared.
    static func key(_ rule: DeskRule) -> String {
        switch rule {
        case .address(let name, _): EmailAddress(name)?.description ?? name
        case .alias(let name, _): FundName.key(name)
        }
    }

    /// Counts a message that its sender's address or its tag led to `fund`, when it was learnt.
    static func noteHit(
        _ db: Database, of message: RoutedMessage, now: Timestamp, batch: BatchNotes
    ) throws {
        guard let user = message.decision.user, let fund = message.decision.fund, try batch.hasLearnt(user.id, db)
        else { return }
        let sender = message.parsed.header?.from.first?.addresses.first.flatMap { EmailAddress($0.address) }
        try db.execute(
            """
            UPDATE learnt SET hits = hits + 1, last_hit_at = ?1
            WHERE user_id = ?2 AND taken_back_at IS NULL
                AND (key = ?3 AND kind = 'address' OR key = ?4 AND kind = 'alias' AND fund_id = ?5)
            """, [now, user.id, sender?.description, message.decision.tag.map(FundName.key), fund.id])
    }
}

/// Places of the files of an email, as far as their owner can change them.
struct FiledState: Equatable {
    var fund: Fund.ID
    /// Number and name of each that lies where mail puts it and has the content that came; a line each.
    var files: String

    init(fund: Fund.ID, files: String) {
        self.fund = fund
        self.files = files
    }

    /// The present state; nil when there is no such email.
    init?(_ email: EmailSummary.ID, _ db: Database) throws {
        guard let fund: Fund.ID = try db.value("SELECT fund_id FROM email WHERE id = ?", [email]) else { return nil }
        self.fund = fund
        let names = try db.rows(
            """
            SELECT file.id, file.name FROM attachment JOIN file ON file.attachment_id = attachment.id
            WHERE attachment.email_id = ? AND file.fund_id = ? AND file.folder_id IS NULL AND file.deleted_at IS NULL
                AND file.blob_id = attachment.blob_id ORDER BY file.id
            """, [email, fund])
        files = names.map { "\($0[0] as FileEntry.ID) \($0[1] as String)" }.joined(separator: "\n")
    }
}
