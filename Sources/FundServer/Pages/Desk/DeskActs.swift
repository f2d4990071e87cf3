internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import Ingest
internal import NIOCore

extension PageRoute {
    static let deskActRoutes: [PageRoute] = [
        .officeAct("/desk/acts") { call, form in
            let fields = try DeskFields(form)
            let order = try await fields.order(call)
            let (report, left) = try await order.carryOut(call)
            return try await DeskOutcome(report: report, left: left, order: order, fields: fields, call: call)
                .response()
        },
        .officeAct("/desk/acts/{act}/undo") { call, form in
            let report = try await call.parts.desk.undo(try call.id("act"), actor: try call.user.email)
            let fields = try DeskFields(form)
            return try await DeskOutcome(report: report, left: 0, order: nil, fields: fields, call: call).response()
        },
        // A form, since what is selected does not fit into an address. Each fund on it is a button of the same form.
        .officeAct("/desk/choose") { call, form in
            let fields = try DeskFields(form)
            let words = form["q"] ?? ""
            let funds = try await call.parts.desk.funds(matching: words, most: maxFunds + 1)
            let model: PageModel = [
                "targets": fields.carried(without: ["q", "fund", "kind"]), "q": words, "isEmpty": funds.isEmpty,
                "funds": funds.prefix(maxFunds).map { fund, owner in
                    [
                        "fund": "\(fund.id)", "fundName": fund.name, "hue": FundHue.name(fund.id),
                        "owner": owner.name ?? owner.email,
                    ] as PageModel
                },
                "hasMore": funds.count > maxFunds, "back": call.localPath(fields.back) ?? "/desk",
            ]
            return try await pageOfDesk("deskchoose", model, call, title: call.words("desk.choose"))
        },
    ]

    /// Funds that are offered at once: the others are found by their names.
    private static let maxFunds = 50
}

/// The fields of a form of the desk.
struct DeskFields {
    private static let maxDays: Int64 = 365

    private let form: FieldText

    /// Throws 400 when it names too many messages.
    init(_ form: FieldText) throws {
        self.form = form
        guard messages.count <= DeskService.maxMessages else {
            throw RequestError.invalid("at most \(DeskService.maxMessages) messages can be chosen at once")
        }
    }

    /// The messages of the fields `message-12`, whatever their values; oldest first.
    var messages: [MisrouteRecord.ID] {
        form.values.keys.compactMap { key in
            key.hasPrefix("message-") ? QueryText.number(key.dropFirst(8)).map { MisrouteRecord.ID($0) } : nil
        }.sorted()
    }

    /// Where one goes on.
    var back: String { form["back"] ?? "/desk" }

    func order(_ call: PageCall) async throws -> DeskOrder {
        // A button in a row: one message and its fund, whatever else is chosen.
        if let parts = form["file"]?.split(separator: "-", omittingEmptySubsequences: false) {
            let numbers = parts.compactMap { QueryText.number($0) }
            guard parts.count == 2, numbers.count == 2 else { throw RequestError.invalid("there is no such button") }
            let filing = DeskService.Filing(
                fund: Fund.ID(numbers[1]), remembers: false, isOwnerConfirmed: false, isDespiteUnverified: false)
            return DeskOrder(act: .assign(filing), messages: .these([MisrouteRecord.ID(numbers[0])]))
        }
        let chosen: DeskOrder.Messages
        if let like = form["like"] {
            guard messages.isEmpty else { throw RequestError.invalid("give messages, or a cause") }
            guard let like = QueryText.number(like), let upTo = form["up_to"].flatMap({ QueryText.number($0) }) else {
                throw RequestError.invalid("there is no such cause")
            }
            chosen = .like(MisrouteRecord.ID(like), upTo: MisrouteRecord.ID(upTo), cause: form["cause"])
        } else {
            chosen = .these(messages)
        }
        return DeskOrder(act: try await act(call), messages: chosen)
    }

    private func act(_ call: PageCall) async throws -> DeskOrder.Act {
        if let user = form["register"] {
            return .remedy(.register(try await person(user, call), confirmedAddress: confirmed))
        }
        if let fund = form["fund"].flatMap({ QueryText.number($0) }) { return .assign(filing(Fund.ID(fund))) }
        switch form["kind"] {
        case "create": return .remedy(.createFund)
        case "enable": return .remedy(.enableSender(confirmedAddress: confirmed))
        case "retry": return .retry
        case "reject": return .reject(note: form["note"] ?? "")
        case "show": return .later(until: nil)
        case "later":
            let days = form["days"].flatMap { QueryText.number($0) } ?? 1
            guard (1...Self.maxDays).contains(days) else { throw RequestError.invalid("days must be 1 to 365") }
            return .later(until: call.formats.now + .seconds(days * 86_400))
        default: throw RequestError.invalid("there is no such button")
        }
    }

    private func filing(_ fund: Fund.ID) -> DeskService.Filing {
        DeskService.Filing(
            fund: fund, remembers: form["remember"] != nil, isOwnerConfirmed: form["confirm_owner"] != nil,
            isDespiteUnverified: form["confirm_unverified"] != nil, confirmedAddress: confirmed)
    }

    private var confirmed: String? { form["confirm_address"].flatMap { $0.isEmpty ? nil : $0 } }

    /// A number, or nothing for the one whose address was typed.
    private func person(_ number: String, _ call: PageCall) async throws -> User.ID {
        if let number = QueryText.number(number) { return User.ID(number) }
        guard number.isEmpty else { throw RequestError.invalid("there is no such button") }
        guard let account = try await call.accounts.account(named: form["person"] ?? "") else {
            throw StoreError("find a person", InputProblem(.unknownPerson, "no user has this address"))
        }
        return account.user.id
    }

    /// Hidden fields with all that another form is to send again.
    func carried(without left: Set<String>) -> [PageModel] {
        form.values.filter { $0.key != "csrf" && !left.contains($0.key) }.sorted { $0.key < $1.key }.map {
            ["name": $0.key, "value": $0.value]
        }
    }
}

/// The outcome of an act, for a person or for a script.
struct DeskOutcome {
    let report: DeskService.ActReport
    /// Messages that one act may not be about.
    let left: Int
    /// Nil for the undoing of one.
    let order: DeskOrder?
    let fields: DeskFields
    let call: PageCall

    private var isUndo: Bool { order == nil }

    private var words: Words { call.words }

    private var fund: Fund.ID? { if case .assign(let filing) = order?.act { filing.fund } else { nil } }

    private struct Refused {
        var message: MisrouteRecord.ID
        var error: any Error
        /// Field that confirms an act which may be right; nil for one that no word makes right.
        var confirmation: String? {
            switch error {
            case DeskError.otherOwner: "confirm_owner"
            case DeskError.unverified: "confirm_unverified"
            default: nil
            }
        }
    }

    private var refused: [Refused] {
        report.dispositions.compactMap { message, ending in
            if case .refused(let error) = ending { Refused(message: message, error: error) } else { nil }
        }
    }

    private var doneCount: Int {
        report.dispositions.count { _, ending in
            switch ending {
            case .filed, .done: true
            case .stillKept, .refused: false
            }
        }
    }

    /// Sentences about rules that were not learnt, and about messages that stay where they were.
    private var notes: [String] {
        var notes = report.rules.compactMap { words.refusal(of: $0.remembered) }
        let kept = report.dispositions.count { if case .stillKept = $0.disposition { true } else { false } }
        if kept > 0 { notes.append(words("desk.stillkept", words.count("messages", kept))) }
        if left > 0 { notes.append(words("desk.left", words.count("messages", left))) }
        return notes
    }

    func response() async throws -> Response {
        var text = ""
        var opensWays = false
        if isUndo {
            text = words("desk.undone", words.count("messages", doneCount))
        } else if let act = report.act {
            let done = try await call.administration.act(act)
            (text, opensWays) = (words.sentence(done), done.opensWays)
        }
        if call.wantsJSON { return json(text, opensWays: opensWays) }
        if refused.isEmpty, notes.isEmpty {
            let done = isUndo ? "done=desk-undone" : report.act.map { "act=\($0)" } ?? "done=nothing"
            return call.redirect(to: LibraryPaths.with(call.localPath(fields.back) ?? "/desk", done))
        }
        return try await page(text)
    }

    private func json(_ text: String, opensWays: Bool) -> Response {
        let (refused, notes) = (refused, notes)
        return call.json { object in
            object.field("act", isUndo ? nil : report.act)
            object.field("text", text)
            object.field("notes", notes)
            object.field("messages", report.dispositions.map(\.message)) { $0.value($1) }
            object.field("fund", fund)
            object.field("opens_ways", opensWays)
            object.field("refused", refused) { json, one in
                json.object {
                    $0.field("message", one.message)
                    $0.field("why", words.refusal(one.error))
                    $0.field("asks", one.confirmation != nil)
                }
            }
        }
    }

    private func page(_ text: String) async throws -> Response {
        // One question at a time: what one word confirms.
        let confirmation = refused.lazy.compactMap(\.confirmation).first
        var rows: [PageModel] = []
        for one in refused {
            let record = try await call.administration.misroute(one.message)
            rows.append([
                "id": "\(one.message)", "subject": words.subject(record.subject), "sender": words.sender(record),
                "why": words.refusal(one.error), "asks": one.confirmation != nil && one.confirmation == confirmation,
            ])
        }
        let asked = refused.filter { $0.confirmation != nil && $0.confirmation == confirmation }
        var model: PageModel = [
            "text": text, "hasText": !text.isEmpty, "notes": notes, "rows": rows, "hasRows": !rows.isEmpty,
            "act": report.act.map { "\($0)" }, "canUndo": !isUndo && report.act != nil,
            "back": call.localPath(fields.back) ?? "/desk", "hasAsked": !asked.isEmpty,
        ]
        if let first = asked.first, let fund, let confirmation {
            // Only what asks is done again.
            var others = ["like", "up_to", "cause", "file", "fund", confirmation]
            // A tag of the sender's cannot lead to a fund of another person.
            if case DeskError.otherOwner = first.error { others.append("remember") }
            let messages = fields.messages.map { "message-\($0)" }
            let targets = asked.map { ["name": "message-\($0.message)", "value": "1"] as PageModel }
            model["targets"] =
                targets + [["name": confirmation, "value": "1"]] + fields.carried(without: Set(messages + others))
            model["into"] = "\(fund)"
            model["question"] = words.refusal(first.error)
            // Who doubts a sender has the safe way first.
            if case DeskError.unverified = first.error { model["isRisky"] = true }
        }
        let title = words(!asked.isEmpty ? "desk.confirm" : rows.isEmpty ? "desk.noted" : "desk.partly")
        return try await PageRoute.pageOfDesk(
            "deskresult", model, call, title: title, status: doneCount == 0 && report.act == nil ? .conflict : .ok)
    }
}
