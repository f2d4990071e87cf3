internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Letters that people write.
extension WebRoute {
    private struct LetterBody: Decodable {
        struct Item: Decodable {
            var type: String
            var id: Int64
        }

        /// Each an address, or `Ann <ann@corp.example>`.
        var to: [String]
        var cc: [String]?
        var copy: Bool?
        var subject: String
        var text: String
        var items: [Item]?
        var way: String?
        var fund: Fund.ID?
        var answers: EmailSummary.ID?
        var key: String?

        func letter() throws -> NewLetter {
            let ways = NewLetter.Way.allCases.map(\.rawValue)
            guard let way = NewLetter.Way(rawValue: way ?? NewLetter.Way.automatic.rawValue) else {
                throw RequestError.invalid("way must be one of \(ways.joined(separator: ", "))")
            }
            return NewLetter(
                to: try Self.people(to), cc: try Self.people(cc ?? []), sendsCopy: copy ?? false, subject: subject,
                text: text, items: try (items ?? []).map(Self.item), way: way, fund: fund, answered: answers, key: key)
        }

        private static func people(_ texts: [String]) throws -> [Addressee] {
            try AddressList(texts.joined(separator: "\n")).people
        }

        private static func item(_ item: Item) throws -> LibraryItemID {
            guard item.id > 0, let kind = ItemKind(name: item.type) else {
                throw RequestError.invalid("items are files, folders, notes and emails, each with its id")
            }
            return LibraryItemID(kind, item.id)
        }
    }

    static let letterRoutes: [WebRoute] = [
        .get("/v1/letters") { call in
            let query = try call.query()
            var filter = LetterFilter(fund: try query.id("fund"), isTroubled: try query.flag("troubled"))
            filter.item = try query.item()
            let page = try await call.letters.letters(filter, try call.page(query, default: 100), of: try call.userID)
            return try call.list("letters", page) { $0.field($1) }
        },
        .post("/v1/letters") { call in
            let body: LetterBody = try await call.body()
            let (letter, isNew) = try await call.sendLetter(try body.letter())
            guard isNew || (letter.summary.subject == body.subject.label && letter.text == body.text) else {
                throw RequestError(.conflict, "conflict", "another letter was sent with this key")
            }
            return call.json(
                isNew ? .created : .ok, headers: [.location: "/api/v1/letters/\(letter.summary.id)"]
            ) { $0.field(letter) }
        },
        .get("/v1/letters/{letter}") { call in
            let letter = try await call.letters.letter(try call.id("letter"), of: try call.userID)
            return call.json { $0.field(letter) }
        },
        .act(.delete, "/v1/letters/{letter}") { call in
            try await call.letters.removeLetter(try call.id("letter"), of: try call.userID)
        },
        .get("/v1/letters/{letter}/attachments/{number}/content") { call in
            try await content(try await call.letterContent(), call)
        }.streamed,
        .post("/v1/letters/{letter}/recipients/{number}/retry") { call in
            let letter = try await call.letters.sendLetterAgain(
                try call.id("letter"), to: try call.number(), mayArriveTwice: try call.query().flag("may_arrive_twice"),
                of: try call.userID)
            return call.json { $0.field(letter) }
        },
        .post("/v1/letters/{letter}/recipients/{number}/drop") { call in
            let letter = try await call.letters.giveLetterUp(
                try call.id("letter"), to: try call.number(), of: try call.userID)
            return call.json { $0.field(letter) }
        },
    ]
}

extension QueryText {
    /// The item of a list of letters: `item=file:12`. Throws 400 for other text.
    fileprivate func item() throws -> LibraryItemID? {
        guard let text = word("item") else { return nil }
        let words = text.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count == 2, let kind = ItemKind(name: String(words[0])), let id = QueryText.number(words[1]),
            id > 0,
            words[1] == "\(id)"
        else { throw RequestError.invalid("item must be like file:1, folder:2, note:3 or email:4") }
        return LibraryItemID(kind, id)
    }
}
