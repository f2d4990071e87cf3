internal import Hummingbird
internal import FundCore
internal import Ingest

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
            case let doubt as DeskError where doubt.isDoubt: "confirm_unverified"
            default: nil
            }
        }

        var isUnproven: Bool { (error as? DeskError)?.isDoubt == true }
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
        if isManyUnproven { notes.append(words("desk.onebyone")) }
        return notes
    }

    /// Mail that may be forged is looked at and filed one by one: no word files several.
    private var isManyUnproven: Bool { refused.count(where: \.isUnproven) > 1 }

    private func confirmation(of one: Refused) -> String? { one.isUnproven && isManyUnproven ? nil : one.confirmation }

    func response() async throws -> Response {
        var text = ""
        var opensWays = false
        if isUndo {
            text = words("desk.undone", words.count("messages", doneCount))
        } else if let act = report.act {
            let done = try await call.administration.act(act)
            let learnt = done.learnt.isEmpty ? [] : [words.learntSentence(done)]
            (text, opensWays) = (([words.sentence(done)] + learnt).joined(separator: " "), done.opensWays)
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
            object.objects("refused", refused) { json, one in
                json.field("message", one.message)
                json.field("why", words.refusal(one.error))
                json.field("asks", confirmation(of: one) != nil)
            }
        }
    }

    private func page(_ text: String) async throws -> Response {
        // One question at a time: what one word confirms.
        let confirmation = refused.lazy.compactMap(confirmation(of:)).first
        var rows: [PageModel] = []
        for one in refused {
            let record = try await call.administration.misroute(one.message)
            let asks = confirmation != nil && self.confirmation(of: one) == confirmation
            rows.append([
                "id": "\(one.message)", "subject": words.subject(record.subject), "sender": words.sender(record),
                "why": words.refusal(one.error), "asks": asks,
            ])
        }
        let asked = confirmation.map { word in refused.filter { self.confirmation(of: $0) == word } } ?? []
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
            // Nothing is learnt from what may be forged.
            if first.isUnproven { others += ["remember", "confirm_address"] }
            let messages = fields.messages.map { "message-\($0)" }
            let targets = asked.map { ["name": "message-\($0.message)", "value": "1"] as PageModel }
            model["targets"] =
                targets + [["name": confirmation, "value": "1"]] + fields.carried(without: Set(messages + others))
            model["into"] = "\(fund)"
            model["question"] = words.refusal(first.error)
            // Who doubts a sender has the safe way first.
            if first.isUnproven { model["isRisky"] = true }
        }
        let title = words(!asked.isEmpty ? "desk.confirm" : rows.isEmpty ? "desk.noted" : "desk.partly")
        return try await PageRoute.pageOfDesk(
            "deskresult", model, call, title: title, status: doneCount == 0 && report.act == nil ? .conflict : .ok)
    }
}
