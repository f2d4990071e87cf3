package import FundCore
internal import Glibc

/// The acts of administrators at the desk, and how they are undone.
extension SQLAdministrationStore {
    package func begin(
        _ kind: DeskAct.Kind, about subject: DeskAct.Subject, actor: String
    ) async throws -> DeskAct.ID {
        try await connection.writing("begin an act") { db in
            try db.insert(
                "INSERT INTO desk_act (at, actor, kind, fund_id, user_id, name) VALUES (?, ?, ?, ?, ?, ?)",
                [Timestamp.now, actor, kind.rawValue, subject.fund, subject.user, subject.name])
        }
    }

    package func discard(_ act: DeskAct.ID) async throws {
        try await connection.writing("discard an act") { db in
            try db.execute(
                "DELETE FROM desk_act WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM desk_step WHERE act_id = ?1)", [act])
        }
    }

    package func reject(
        _ id: MisrouteRecord.ID, note: String, in act: DeskAct.ID, actor: String
    ) async throws {
        let operation = "reject misrouted \(id)"
        try await connection.administering(operation, by: actor) { db in
            let now = Timestamp.now
            try Self.open(db, id, operation)
            try MisrouteRows.markRejected(db, id, note: note, actor: actor, now: now)
            try DeskRows(db: db, actor: actor, now: now).add(DeskRows.Step(kind: .reject, message: id), to: act)
            try db.writeAudit(.misrouteReject, of: "misrouted \(id)", note, by: actor, now: now)
        }
    }

    package func putOff(
        _ id: MisrouteRecord.ID, until: Timestamp?, in act: DeskAct.ID, actor: String
    ) async throws {
        let operation = "put misrouted \(id) off"
        try await connection.administering(operation, by: actor) { db in
            let record = try Self.open(db, id, operation)
            try db.execute("UPDATE misroute SET put_off_until = ? WHERE id = ?", [until, id])
            let step = DeskRows.Step(kind: .putOff, message: id, putOffBefore: record.putOffUntil)
            try DeskRows(db: db, actor: actor, now: .now).add(step, to: act)
            try db.writeAudit(.misrouteLater, of: "misrouted \(id)", until.map { "until \($0)" } ?? "now", by: actor)
        }
    }

    /// The entry of a message. Throws `notFound`, and `alreadyResolved` unless it waits.
    @discardableResult
    private static func open(
        _ db: Database, _ id: MisrouteRecord.ID, _ operation: String
    ) throws -> MisrouteRecord {
        let record = try MisrouteRows.record(db, id)
        try MisrouteRows.refuseUnlessWaiting(db, record, operation)
        return record
    }

    package func learn(
        _ rule: DeskRule, from id: MisrouteRecord.ID, in act: DeskAct.ID, actor: String
    ) async throws -> Bool {
        let operation = "remember \(rule.name)"
        return try await connection.administering(operation, by: actor) { db in
            let now = Timestamp.now
            let isNew: Bool
            let user: User.ID?
            switch rule {
            case .address(let address, let owner):
                isNew = try UserRows(db: db, actor: actor).add(address, to: owner)
                user = owner
            case .alias(let alias, let fund):
                isNew = try FundRows(db: db, actor: actor).addAlias(alias, to: fund)
                user = try db.value("SELECT owner_id FROM fund WHERE id = ?", [fund])
            }
            guard isNew, let user else { return false }
            let learnt: LearntRule.ID = try db.insert(
                """
                INSERT INTO learnt (kind, name, key, user_id, fund_id, misroute_id, at, actor)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, [rule.kind, rule.name, DeskRows.key(rule), user, rule.fund, id, now, actor])
            let step = DeskRows.Step(kind: .learn, message: id, learnt: learnt)
            try DeskRows(db: db, actor: actor, now: now).add(step, to: act)
            try db.writeAudit(.misrouteLearn, of: "misrouted \(id)", rule.name, by: actor, now: now)
            return true
        }
    }

    // MARK: Remedies

    package func createFund(
        _ name: String, of owner: User.ID, from id: MisrouteRecord.ID, in act: DeskAct.ID, actor: String
    ) async throws -> Bool {
        try await changing("add the fund \(name)", actor) { rows in
            guard try rows.holder(of: FundName.key(name), owner: owner) == nil else { return false }
            let fund = try rows.insert(name, owner: owner, aliases: []).id
            let step = DeskRows.Step(kind: .create, message: id, fund: fund)
            try DeskRows(db: rows.db, actor: actor, now: .now).add(step, to: act)
            return true
        }
    }

    package func noteRerouted(_ id: MisrouteRecord.ID, in act: DeskAct.ID, actor: String) async throws {
        try await connection.administering("route misrouted \(id)", by: actor) { db in
            try DeskRows(db: db, actor: actor, now: .now).add(DeskRows.Step(kind: .reroute, message: id), to: act)
        }
    }

    package func enable(
        _ user: User.ID, from id: MisrouteRecord.ID, in act: DeskAct.ID, actor: String
    ) async throws -> Bool {
        let operation = "enable a user"
        return try await connection.administering(operation, by: actor) { db in
            let rows = UserRows(db: db, actor: actor)
            guard try rows.setDisabled(false, user) else { return false }
            let step = DeskRows.Step(kind: .enable, message: id)
            try DeskRows(db: db, actor: actor, now: .now).add(step, to: act)
            return true
        }
    }

    // MARK: Lists

    package func acts(since: Timestamp, _ page: PageQuery) async throws -> ListPage<DeskAct> {
        try await connection.reading("list what was done") { db in
            try page.list { cursor, count in
                let end = cursor?.numbers[0] ?? Int64.max
                return try Self.acts(db, where: "desk_act.at >= ?1 AND desk_act.id < ?2", [since, end], limit: count)
            }
        }
    }

    package func act(_ id: DeskAct.ID) async throws -> DeskAct {
        try await connection.reading("find an act") { db in
            try Self.acts(db, where: "desk_act.id = ?1", [id], limit: 1).one("find an act", "there is no such act")
        }
    }

    package func lastAct(about message: MisrouteRecord.ID) async throws -> DeskAct.ID? {
        try await connection.reading("find an act") { db in
            try db.value(
                """
                SELECT act_id FROM desk_step WHERE misroute_id = ? AND undone_at IS NULL AND \(DeskRows.isAboutMessage)
                ORDER BY id DESC LIMIT 1
                """, [message])
        }
    }

    private static func acts(
        _ db: Database, where condition: String, _ arguments: SQLArguments, limit: Int
    ) throws -> [DeskAct] {
        let about = "FROM desk_step WHERE act_id = desk_act.id AND \(DeskRows.isAboutMessage)"
        return try db.rows(
            """
            SELECT desk_act.id, desk_act.at, desk_act.actor, desk_act.kind,
                coalesce(desk_act.name, fund.name), "user".email,
                (SELECT count(*) \(about)), (SELECT count(*) \(about) AND undone_at IS NULL),
                (SELECT \(SQL.lines("learnt.name")) FROM desk_step
                    JOIN learnt ON learnt.id = desk_step.learnt_id WHERE act_id = desk_act.id),
                (SELECT max(undone_at) FROM desk_step WHERE act_id = desk_act.id),
                EXISTS (SELECT 1 FROM desk_step WHERE act_id = desk_act.id AND undone_at IS NULL),
                (SELECT undone_by FROM desk_step WHERE act_id = desk_act.id AND undone_at IS NOT NULL
                    ORDER BY undone_at DESC LIMIT 1)
            FROM desk_act LEFT JOIN fund ON fund.id = desk_act.fund_id
                LEFT JOIN "user" ON "user".id = coalesce(desk_act.user_id, fund.owner_id)
            WHERE \(condition) AND EXISTS (SELECT 1 FROM desk_step WHERE act_id = desk_act.id)
            ORDER BY desk_act.id DESC LIMIT ?\(arguments.count + 1)
            """, arguments + [limit]
        ).map { row in
            guard let kind = DeskAct.Kind(rawValue: row[3]) else {
                throw StoreError(.corrupted, "list what was done", "an act is of no known kind")
            }
            return DeskAct(
                id: row[0], at: row[1], actor: row[2], kind: kind, name: row[4], owner: row[5], count: row[6],
                standing: row[7], canUndo: row[10], learnt: MisrouteRows.names(row[8] ?? ""), undoneAt: row[9],
                undoneBy: row[11])
        }
    }

    package func steps(of act: DeskAct.ID) async throws -> [DeskStep] {
        try await connection.reading("list the steps of an act") { db in
            try db.rows(
                """
                SELECT id, misroute_id, kind FROM desk_step WHERE act_id = ? AND undone_at IS NULL ORDER BY id DESC
                """, [act]
            ).map { row in
                guard let kind = DeskRows.StepKind(rawValue: row[2]) else {
                    throw StoreError(.corrupted, "list the steps of an act", "a step is of no known kind")
                }
                return DeskStep(id: row[0], message: row[1], about: kind.about)
            }
        }
    }

    package func learnt(_ page: PageQuery) async throws -> ListPage<LearntRule> {
        try await connection.reading("list what was learnt") { db in
            try page.list { cursor, count in
                try Self.learnt(db, where: "learnt.id < ?1", [cursor?.numbers[0] ?? Int64.max], limit: count)
            }
        }
    }

    package func learnt(_ id: LearntRule.ID) async throws -> LearntRule {
        try await connection.reading("find what was learnt") { try Self.learnt($0, id) }
    }

    private static func learnt(_ db: Database, _ id: LearntRule.ID) throws -> LearntRule {
        try learnt(db, where: "learnt.id = ?1", [id], limit: 1).one("find what was learnt", "there is no such entry")
    }

    private static func learnt(
        _ db: Database, where condition: String, _ arguments: SQLArguments, limit: Int
    ) throws -> [LearntRule] {
        try db.rows(
            """
            SELECT learnt.id, learnt.name, learnt.user_id, learnt.fund_id, "user".email, fund.name,
                learnt.misroute_id, learnt.at, learnt.actor, learnt.hits, learnt.last_hit_at, learnt.taken_back_at,
                learnt.taken_back_by
            FROM learnt JOIN "user" ON "user".id = learnt.user_id LEFT JOIN fund ON fund.id = learnt.fund_id
            WHERE \(condition) ORDER BY learnt.id DESC LIMIT ?\(arguments.count + 1)
            """, arguments + [limit]
        ).map { row in
            let (name, fund): (String, Fund.ID?) = (row[1], row[3])
            return LearntRule(
                id: row[0], rule: fund.map { .alias(name, of: $0) } ?? .address(name, of: row[2]), owner: row[4],
                fund: row[5], message: row[6], at: row[7], actor: row[8], hits: row[9], lastHitAt: row[10],
                takenBackAt: row[11], takenBackBy: row[12])
        }
    }

    // MARK: Undoing

    package func takeBack(_ id: LearntRule.ID, actor: String) async throws {
        let operation = "take back what was learnt"
        try await connection.administering(operation, by: actor) { db in
            let learnt = try Self.learnt(db, id)
            if let who = learnt.takenBackBy {
                throw StoreError(.conflict, operation, "\(who) took “\(learnt.rule.name)” back already")
            }
            let now = Timestamp.now
            try Self.forget(db, learnt, actor: actor, now: now)
            try db.execute(
                "UPDATE desk_step SET undone_at = ?, undone_by = ? WHERE learnt_id = ? AND undone_at IS NULL",
                [now, actor, id])
        }
    }

    /// Takes a rule back. An address or alias that is gone, or belongs to another by now, is left alone.
    private static func forget(_ db: Database, _ learnt: LearntRule, actor: String, now: Timestamp) throws {
        switch learnt.rule {
        case .address(let address, let user): try UserRows(db: db, actor: actor).remove(address, from: user)
        case .alias(let alias, let fund): try FundRows(db: db, actor: actor).removeAlias(alias, of: fund)
        }
        try db.execute(
            "UPDATE learnt SET taken_back_at = ?, taken_back_by = ? WHERE id = ?", [now, actor, learnt.id])
        try db.writeAudit(
            .misrouteForget, of: "misrouted \(learnt.message)", learnt.rule.name, by: actor, now: now)
    }

    package func undo(_ step: DeskStep.ID, actor: String) async throws -> User.ID? {
        let operation = "undo"
        return try await connection.queues.changes.run { [connection, purge] in
            let stranger = try connection.write(operation) { db in
                try UserRows(db: db, actor: actor).checkActor(operation)
                return try StepUndo(db: db, actor: actor, now: .now, operation: operation).run(step) {
                    try Self.forget(db, try Self.learnt(db, $0), actor: actor, now: .now)
                }
            }
            _ = try? purge.log.reclaim()  // else the next one does it
            return stranger
        }
    }

    package func purgeWithdrawn(from user: User.ID, actor: String) async throws {
        try await purge.run(.final(of: user), action: .misroutePurge, subject: "user \(user)", actor: actor)
    }
}

extension DeskAct: ListedItem {
    var cursor: ListCursor { ListCursor(id.rawValue) }
}

extension LearntRule: ListedItem {
    var cursor: ListCursor { ListCursor(id.rawValue) }
}

extension DeskRule {
    fileprivate var kind: String {
        switch self {
        case .address: "address"
        case .alias: "alias"
        }
    }

    fileprivate var fund: Fund.ID? {
        switch self {
        case .address: nil
        case .alias(_, let fund): fund
        }
    }
}
