internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension UserCall {
    var contacts: any ContactStore { parts.store.contacts }

    /// People of the user's lists who have the words of the query's `q`, at most as many as `limit` says.
    func suggestedPeople() async throws -> [PeopleIndex.Offer] {
        let query = try query()
        let limit = Int(try query.number("limit", in: 1...50) ?? 8)
        return try await parts.people.index(of: try userID).offers(matching: query["q"] ?? "", limit: limit)
    }

    /// The contacts that the query asks for by `q`, `group` and `initial`. Throws 400 for a word that is no letter.
    func contactFilter(_ query: QueryText) throws -> ContactFilter {
        var filter = ContactFilter(words: query["q"], group: query["group"])
        if let word = query.word("initial") {
            guard word.utf8.count == 1, let letter = word.utf8.first, ASCII.isLetter(letter) || word == "#" else {
                throw RequestError.invalid("initial must be a letter from A to Z, or #")
            }
            filter.initial = word.uppercased().first
        }
        return filter
    }

    /// Reads a file of contacts on a thread that may block. Throws `ContactFile.Fault`.
    func contactFile(_ bytes: [UInt8]) async throws -> ContactFile {
        try await parts.readers.read(bytes.count, of: context.origin) { try ContactFile(bytes) }
    }
}

extension ContactFile.Fault: RequestErrorConvertible {
    var requestError: RequestError {
        var error =
            switch self {
            case .tooLarge: RequestError.tooLarge
            case .empty: RequestError.invalid("there are no contacts in the file")
            case .notText: RequestError.invalid("the file is no text in an encoding that is known")
            case .noColumns:
                RequestError.invalid("the first line names no column that is known, such as Name or E-mail Address")
            case .malformed(let line, let problem): RequestError.invalid("line \(line): \(problem)")
            }
        error.problem = "contact-file-\(word)"
        if case .malformed(let line, _) = self { error.problemValue = "\(line)" }
        return error
    }

    private var word: String {
        switch self {
        case .tooLarge: "too-large"
        case .empty: "empty"
        case .notText: "not-text"
        case .noColumns: "no-columns"
        case .malformed: "malformed"
        }
    }
}

extension UserCall {
    /// All own contacts as one file.
    func contactExport(version: VCardWriter.Version) async throws -> Response {
        let contacts = try await contacts.allContacts(of: try userID)
        var writer = VCardWriter(version)
        for contact in contacts { writer.add(contact.card, uid: contact.uid, changedAt: contact.changedAt) }
        try await context.reserveResponse(of: writer.bytes.count)
        return Response(
            .ok, VCardWriter.contentType, ByteBuffer(bytes: writer.bytes),
            headers: [
                .contentDisposition: ContentHeaders.disposition("attachment", name: "contacts.vcf"),
                .cacheControl: "no-store", .contentSecurityPolicy: "default-src 'none'; sandbox",
            ])
    }
}
