internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// The form that makes a share link: what it shows, to whom, and for how long.
struct LinkForm {
    /// The uses that are offered. The raw values are those of the form's field.
    private enum Purpose: String, CaseIterable {
        case download, read
        /// For reading, with the viewer's address in each picture.
        case marked
        case upload
    }

    private static let megabyte: Int64 = 1_000_000

    private let items: [LibraryItemID]
    private let call: PageCall
    /// The fields as they were typed.
    private var fields: [String: String] = [:]

    init(items: [LibraryItemID], _ call: PageCall) throws {
        (self.items, self.call) = (items, call)
        if let purpose = try call.query().word("for") { fields["purpose"] = purpose }
    }

    init(items: [LibraryItemID], _ form: FieldText, _ call: PageCall) {
        (self.items, self.call) = (items, call)
        fields = form.values
    }

    private var purposes: [Purpose] {
        let kinds = Set(items.map(\.kind))
        var purposes: [Purpose] = kinds.contains(.fund) ? [] : [.download, .read]
        if kinds.isSubset(of: [.file, .folder]) { purposes.append(.marked) }
        if items.count == 1, kinds.isSubset(of: [.fund, .folder]) { purposes.append(.upload) }
        return purposes
    }

    /// The purpose that was chosen; nil for none, and for one that is not offered.
    private var chosenPurpose: Purpose? { purposes.first { $0.rawValue == fields["purpose"] } }

    private var purpose: Purpose { chosenPurpose ?? purposes.first ?? .download }

    // MARK: Making

    /// A field that cannot be read.
    private struct Mistake: Error {
        var field: String
    }

    func made() async throws -> Response {
        // A form that asks for less than the widest link must not get that one.
        guard fields["purpose"] == nil || chosenPurpose != nil else {
            throw RequestError.invalid("a link of this kind cannot be made of these items")
        }
        do {
            let link = try await call.links.make(
                try order(), of: try call.user, from: ClientAddress(call.context.peer))
            return call.redirect(to: "\(PageRoute.linkPath)/\(link.id)?done=link-made")
        } catch let mistake as Mistake {
            return try await page(call.words("link.number"), at: mistake.field)
        } catch let problem as LinkPasswordProblem {
            return try await page(call.words("password.refused.\(problem.problem.rawValue)"), at: "password")
        } catch let failure as StoreError where failure.problem != nil {
            return try await page(call.words.sentence(failure.requestError), at: failure.problem.flatMap(Self.field))
        }
    }

    private func order() throws -> ShareLinkOrder {
        var order = ShareLinkOrder(items: items)
        switch purpose {
        case .download: order.purpose = .download
        case .read: order.purpose = .read
        case .marked: (order.purpose, order.isWatermarked) = (.read, true)
        case .upload: order.purpose = .upload
        }
        order.days = try number("days") ?? NewShareLink.usualDays
        order.maxOpenings = try number("openings")
        order.label = fields["label"]
        order.password = fields["password"]
        order.showsOwner = fields["owner"] != nil
        guard order.purpose == .upload else { return order }
        let usual = UploadAllowance.usual
        let (megabytes, overflows) = Int64(try number("megabytes") ?? Int(usual.maxBytes / Self.megabyte))
            .multipliedReportingOverflow(by: Self.megabyte)
        guard !overflows else { throw Mistake(field: "megabytes") }
        order.allowance = UploadAllowance(maxFiles: try number("files") ?? usual.maxFiles, maxBytes: megabytes)
        return order
    }

    /// Nil for an empty field.
    private func number(_ field: String) throws -> Int? {
        guard let text = fields[field]?.trimmed, !text.isEmpty else { return nil }
        guard text.utf8.count <= 9, let number = QueryText.number(text) else { throw Mistake(field: field) }
        return Int(number)
    }

    private static func field(of problem: InputProblem.Kind) -> String? {
        switch problem {
        case .linkExpiry: "days"
        case .linkOpenings: "openings"
        case .linkLabel: "label"
        case .linkAllowance: "files"
        default: nil
        }
    }

    // MARK: Showing

    func page(_ failure: String? = nil, at field: String? = nil) async throws -> Response {
        try call.links.requireOn()
        let names = try await call.links.store.names(of: Set(items), of: try call.userID)
        let there = items.filter { names[$0] != nil }
        guard !there.isEmpty, !purposes.isEmpty else { throw RequestError.notFound }
        let usual = UploadAllowance.usual
        var model: PageModel = [
            "atLinks": true, "items": ItemSelection(items: there).text,
            "names": there.prefix(NamedItems.maxNames).map { item in
                let name = names[item] ?? ""
                return [.email, .note].contains(item.kind) ? call.words.title(name, of: item.kind) : Words.shown(name)
            },
            "hasMore": there.count > NamedItems.maxNames,
            "purposes": purposes.map {
                PageModel.choice($0.rawValue, call.words("link.purpose.\($0.rawValue)"), isChosen: $0 == purpose)
            },
            "days": fields["days"] ?? "\(NewShareLink.usualDays)", "mostDays": "\(NewShareLink.mostDays)",
            "openings": fields["openings"] ?? "", "label": fields["label"] ?? "",
            "showsOwner": fields["owner"] != nil || fields.isEmpty || fields["csrf"] == nil,
            "canUpload": purposes.contains(.upload), "files": fields["files"] ?? "\(usual.maxFiles)",
            "megabytes": fields["megabytes"] ?? "\(usual.maxBytes / Self.megabyte)",
            "ownerAddress": try call.user.email,
        ]
        let back = try call.query()["back"]
        model["back"] = call.localPath(fields["back"] ?? back)
        if let failure {
            model.fail(failure, at: field)
            if let field { model["\(field)Failed"] = true }
        }
        return call.page(
            "linknew", model, title: call.words("link.new"), status: failure == nil ? .ok : .unprocessableContent)
    }
}
