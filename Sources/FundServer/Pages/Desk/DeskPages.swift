internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import Ingest

extension PageRoute {
    /// The misrouted desk: what waits, one message of it, and what was done and learnt.
    static let deskRoutes: [PageRoute] = [
        .office("/desk") { call in try await deskPage(call, list: DeskList(call, isLater: false)) },
        .office("/desk/later") { call in try await deskPage(call, list: DeskList(call, isLater: true)) },
        .office("/desk/causes/{message}") { call in
            let record = try await call.administration.misroute(try call.id("message"))
            let list = try DeskList(call, isLater: false, like: record.id)
            let count = try await call.administration.countMisroutes(list.filter)
            guard count > 0 else {
                // The page of all causes tells what was done about the last message.
                let query = try call.query()
                let said = PageQueryText.text([("act", query["act"]), ("done", query["done"])])
                return call.redirect(to: "/desk" + said)
            }
            let last = try await call.administration.deskVersion().lastMessage
            let offers = try await call.parts.desk.offers(for: [record])[0]
            let card: PageModel = [
                "title": call.words.cause(record), "count": call.words.count("messages", count),
                "form": DeskForm(record: record, offers: offers, isCard: true, call: call).model,
                // Later mail of the same cause is not what was looked at.
                "targets": [
                    ["name": "like", "value": "\(record.id)"], ["name": "up_to", "value": "\(last)"],
                    ["name": "cause", "value": MisrouteCause(record).key],
                ] as [PageModel],
            ]
            let next = try await nextCause(after: record, call)
            return try await deskPage(call, list: list, ["card": card, "back": next])
        },
        .office("/desk/messages/{message}") { call in
            let record = try await call.administration.misroute(try call.id("message"))
            // Its content is its owner's by now.
            if case .filed? = record.resolution { return try await filedPage(record, call) }
            let view = try await call.openKept()
            let list = try DeskList(call, isLater: view.record.isPutOff(at: call.formats.now))
            let pane = try await DeskPane(
                call: call, view: view, sender: try await call.registeredSender(of: view.record)
            ).model()
            return try await deskPage(call, list: list, ["pane": pane], shown: view.record)
        },
        .office("/desk/messages/{message}/frame") { call in
            let id: MisrouteRecord.ID = try call.id("message")
            guard call.request.headers[.secFetchDest] == "iframe" else {
                return call.redirect(to: "/desk/messages/\(id)?view=html")
            }
            try await call.checkQuarantine(ofKept: id)
            guard call.request.method == .get else { return MailFrame.response(nil, remotePictures: false) }
            // The page around it noted who reads it.
            let content =
                call.parts.deskNotifier.isReading(id, try call.userID)
                ? try await call.parts.desk.refiling.read(id).content : try await call.openKept().content
            guard case .message(let message) = content else { throw RequestError.notFound }
            let document = MailDocument(kept: message, as: id)
            return try await MailFrame.response(of: document, remotePictures: false, call)
        }.streamed,
        .office("/desk/messages/{message}/raw") { call in try await call.rawKept() }.streamed,
        .office("/desk/events") { call in
            guard call.wantsEvents else { throw RequestError.onlyEvents }
            return try await DeskStream(call: call).response()
        }.streamed,
        .office("/desk/done") { call in
            let page = try await call.administration.acts(since: Timestamp(0), try call.section(of: "desk done"))
            var model: PageModel = [
                "atDone": true, "rows": page.items.map { row($0, call) }, "isEmpty": page.items.isEmpty,
                "here": "/desk/done",
            ]
            model["paging"] = try call.paging("/desk/done", next: page.next, of: "desk done")
            return try await pageOfDesk("deskdone", model, call, title: call.words("desk.done"))
        },
        .office("/desk/learnt") { call in
            let page = try await call.administration.learnt(try call.section(of: "desk learnt"))
            var model: PageModel = [
                "atLearnt": true, "rows": page.items.map { row($0, call) }, "isEmpty": page.items.isEmpty,
            ]
            model["paging"] = try call.paging("/desk/learnt", next: page.next, of: "desk learnt")
            return try await pageOfDesk("desklearnt", model, call, title: call.words("desk.learnt"))
        },
        .office("/desk/learnt/{lesson}") { call in
            let learnt = try await call.administration.learnt(try call.id("lesson"))
            var model = row(learnt, call)
            model["atLearnt"] = true
            return try await pageOfDesk("desklesson", model, call, title: call.words("learnt.title"))
        },
        .officeAct("/desk/learnt/{lesson}/take-back") { call, _ in
            try await call.administration.takeBack(try call.id("lesson"), actor: try call.user.email)
            return call.redirect(to: "/desk/learnt?done=taken-back")
        },
        .office("/desk/rehearsal") { call in
            let found = try await call.parts.desk.rehearse(MisrouteFilter())
            let model: PageModel = [
                "rows": found.messages.map { one in
                    [
                        "id": "\(one.record.id)", "sender": call.words.sender(one.record),
                        "subject": call.words.subject(one.record.subject), "fundName": one.fund.name,
                        "hue": FundHue.name(one.fund.id), "owner": one.of.email,
                    ] as PageModel
                },
                "isEmpty": found.messages.isEmpty, "here": "/desk",
                "left": found.left > 0 ? call.words("rehearsal.left", "\(found.left)") : nil,
                "fits": call.words.count("rehearsal", found.messages.count),
            ]
            return try await pageOfDesk("deskrehearsal", model, call, title: call.words("rehearsal.title"))
        },
        .office("/desk/digest") { call in try await digestPage(call) },
    ]

    private static func filedPage(_ record: MisrouteRecord, _ call: PageCall) async throws -> Response {
        var model: PageModel = [
            "subject": call.words.subject(record.subject), "from": call.words.sender(record),
            "time": call.formats.time(record.receivedAt),
        ]
        model["settled"] = try await DeskSettled(record: record, call: call).model()
        return try await pageOfDesk("deskfiled", model, call, title: call.words.subject(record.subject))
    }

    /// The page of the cause that waits behind this one, and after the last that of the first; the desk where there is
    /// no other.
    private static func nextCause(after record: MisrouteRecord, _ call: PageCall) async throws -> String {
        var filter = MisrouteFilter()
        filter.attention = .waiting
        let causes = try await call.administration.causes(filter, PageQuery(limit: PageQuery.maxLimit)).items
        let this = MisrouteCause(record)
        let others = causes.map(\.first).filter { MisrouteCause($0) != this }
        let next = others.first { $0.id > record.id } ?? others.first
        return next.map { "/desk/causes/\($0.id)" } ?? "/desk"
    }

    /// List and pane. A script that shows a message asks for the pane alone.
    private static func deskPage(
        _ call: PageCall, list: DeskList, _ more: PageModel = [:], shown: MisrouteRecord? = nil
    ) async throws -> Response {
        var model = more
        // A script knows the list, and writes it.
        model["place"] = ""
        // Read before the list: what comes meanwhile is another version.
        model["version"] = try await call.administration.deskVersion().text
        if shown == nil {
            let count = await call.parts.failedScans(FailedScan.maxCounted).count
            if count > 0 { model["failedScans"] = call.words.count("desk.scans", count) }
        }
        if shown == nil || !call.isForScript {
            let (found, order) = try await list.model(shown: shown?.id)
            model.merge(found)
            model["list"] = true
            if let shown, let index = order.ids.firstIndex(of: shown.id) {
                let ids = order.ids
                let place = (order.places[shown.id] ?? index) + 1
                model["place"] = call.words("desk.place", "\(place)", "\(order.total)")
                let trail = found.text("trail") ?? ""
                model["previous"] = index > 0 ? "/desk/messages/\(ids[index - 1])\(trail)" : nil
                model["following"] = ids.indices.contains(index + 1) ? "/desk/messages/\(ids[index + 1])\(trail)" : nil
                // After an act one goes on with the next.
                model["back"] = model.text("following") ?? model.text("here")
            }
        }
        model["back"] = model.text("back") ?? model.text("here") ?? "/desk"
        let subject = shown.map { call.words.subject($0.subject) } ?? call.words("desk.title")
        let count = model.text("waiting").map { "(\($0)) " } ?? ""
        return try await pageOfDesk("desk", model, call, title: shown == nil ? count + subject : subject)
    }

    /// A page of the desk, with what the last act came to.
    static func pageOfDesk(
        _ template: String, _ model: PageModel, _ call: PageCall, title: String, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        var model = model
        (model["isOffice"], model["atDesk"]) = (true, true)
        model["hasKeys"] = PageKeys(of: call.request) == .on
        if let act: DeskAct.ID = try call.query().id("act"), let done = try await call.deskAct(act) {
            let learnt = done.learnt.isEmpty ? [] : [call.words.learntSentence(done)]
            model["done"] = ([call.words.sentence(done)] + learnt).joined(separator: " ")
            model["undo"] = done.canUndo ? UndoOffer.model(of: act) : nil
            model["ways"] = done.opensWays ? "/desk/rehearsal" : nil
        }
        return call.page(template, model, title: title, status: status)
    }

    // MARK: Rows

    private static func row(_ act: DeskAct, _ call: PageCall) -> PageModel {
        var row: PageModel = [
            "act": "\(act.id)", "text": call.words.sentence(act), "actor": act.actor,
            "time": call.formats.time(act.at), "canUndo": act.canUndo,
            "partly": act.standing > 0 && act.standing < act.count
                ? call.words("act.standing", "\(act.standing)", "\(act.count)") : nil,
            "learntText": act.learnt.isEmpty ? nil : call.words.learntSentence(act),
        ]
        if let by = act.undoneBy, !act.canUndo {
            row["undone"] = call.words("act.undone", call.words.isolated(by))
        }
        return row
    }

    private static func row(_ learnt: LearntRule, _ call: PageCall) -> PageModel {
        let (words, name) = (call.words, call.words.isolated(learnt.rule.name))
        let owner = words.isolated(learnt.owner)
        let text: String
        let effect: String
        switch learnt.rule {
        case .address:
            (text, effect) = (words("learnt.address", name, owner), words("learnt.effect.address", name, owner))
        case .alias:
            let fund = words.isolated(learnt.fund ?? "")
            (text, effect) = (words("learnt.alias", name, fund, owner), words("learnt.effect.alias", name, fund, owner))
        }
        var row: PageModel = [
            "lesson": "\(learnt.id)", "text": text, "effect": effect, "actor": learnt.actor,
            "time": call.formats.time(learnt.at), "hits": words.count("hits", learnt.hits),
            "isTakenBack": learnt.takenBackAt != nil,
        ]
        if let last = learnt.lastHitAt { row["lastHit"] = call.formats.time(last) }
        if let by = learnt.takenBackBy { row["takenBack"] = words("learnt.takenback", words.isolated(by)) }
        return row
    }
}

extension PageCall {
    /// Nil for an act that is gone.
    fileprivate func deskAct(_ id: DeskAct.ID) async throws -> DeskAct? {
        do { return try await administration.act(id) } catch let failure as StoreError
            where failure.code == .notFound
        { return nil }
    }

    /// The person to whom the sender of a kept message is registered; nil for a stranger.
    fileprivate func registeredSender(of record: MisrouteRecord) async throws -> User? {
        guard let user = record.user else { return nil }
        return try await administration.user(user).user
    }

    /// Whether a script asks, which takes a part of the page.
    var isForScript: Bool { ![nil, "document"].contains(request.headers[.secFetchDest]) }
}
