internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebRoute {
    /// Items that a selection may name. A folder counts once, whatever is in it.
    private static let maxItems = 1000

    private struct ZipBody: Decodable {
        struct Item: Decodable {
            var type: String
            var id: Int64
        }

        var items: [Item]?
        var emails: Bool?
    }

    static let zipRoutes: [WebRoute] = [
        .get("/v1/funds/{fund}/zip") { call in
            let query = try call.query()
            // `file:1,folder:2`, so that a plain link can name a selection.
            let items = try query["items"].map { text in
                try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
                    let words = part.split(separator: ":", omittingEmptySubsequences: false)
                    guard words.count == 2, let id = QueryText.number(words[1]), words[1] == "\(id)" else {
                        throw RequestError.invalid("items must be like file:1,folder:2,email:3")
                    }
                    return try item(String(words[0]), id)
                }
            }
            return try await zipFile(items, includesEmails: try query.flag("emails"), call)
        }.streamed,
        .post("/v1/funds/{fund}/zip") { call in
            let body: ZipBody = try await call.body()
            let items = try body.items?.map { try item($0.type, $0.id) }
            return try await zipFile(items, includesEmails: body.emails ?? false, call)
        }.streamed.reading,
    ]

    private static func zipFile(
        _ items: [LibraryItemID]?, includesEmails: Bool, _ call: WebCall
    ) async throws -> Response {
        guard items?.count ?? 0 <= maxItems else {
            throw RequestError.invalid("items may name at most \(maxItems) files, folders and emails")
        }
        let selection = ZipSelection(fund: try call.id("fund"), items: items, includesEmails: includesEmails)
        return try await call.parts.zipFiles.response(selection, of: try call.userID, over: call.context.sends) {
            await call.isStillSignedIn()
        }
    }

    private static func item(_ type: String, _ id: Int64) throws -> LibraryItemID {
        guard id > 0 else { throw RequestError.invalid("an id is a number from 1 on") }
        switch ItemKind(name: type) {
        case .file: return .file(.init(id))
        case .folder: return .folder(.init(id))
        case .email: return .email(.init(id))
        default: throw RequestError.invalid("a zip file holds files, folders and emails")
        }
    }
}
