internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// One request of an authenticated user for address books.
struct CardCall: Sendable {
    /// Bytes of an XML body: a report may name thousands of cards.
    private static let maxBodyBytes = 1 << 20
    /// Elements of a body: some clients name all cards in one report.
    private static let maxElements = ContactLimits.maxContacts + 100

    let request: Request
    let context: ServerContext
    let user: User
    /// The path below which the address books stand for this request.
    let base: String

    /// The XML body; nil when it is empty. Throws 413, and `MarkupError` for invalid XML.
    func body() async throws -> MarkupElement? {
        var bytes: [UInt8] = []
        for try await part in request.body {
            guard bytes.count + part.readableBytes <= Self.maxBodyBytes else {
                throw DAVError(.contentTooLarge, "the body is longer than \(Self.maxBodyBytes) bytes")
            }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes.isEmpty ? nil : try MarkupReader.read(bytes, maxElements: Self.maxElements)
    }

    /// Reserves room for an answer while it grows. Throws 503 when there is none.
    /// - Parameters:
    ///   - count: bytes of the answer by now.
    ///   - reserved: bytes that were reserved before.
    func reserve(for count: Int, _ reserved: inout Int) async throws {
        while reserved < count + Self.reserveStep {
            try Task.checkCancellation()
            try await context.reserveResponse(of: Self.reserveStep)
            reserved += Self.reserveStep
        }
    }

    /// Bytes of an answer between two reservations.
    private static let reserveStep = 256 << 10

    /// The place that the request names. Throws 404.
    func place() throws -> CardPlace {
        guard let place = CardPlace(path: request.uri.path, below: base) else { throw RequestError.notFound }
        return place
    }
}

/// A place among the address books.
enum CardPlace: Hashable, Sendable {
    /// The collection that holds the address books.
    case home
    /// The user (RFC 3744).
    case principal
    case book(Book)
    /// A card by the name of its resource, without `.vcf`.
    case card(Book, String)

    enum Book: String, Hashable, Sendable, CaseIterable {
        case own, company
    }

    private static let suffix = ".vcf"

    /// Nil for what is no such place. A path of another server or name is none.
    init?(path: String, below base: String) {
        guard path == base || path.hasPrefix(base + "/") else { return nil }
        let names = path.dropFirst(base.count).split(separator: "/", omittingEmptySubsequences: true)
        switch names.count {
        case 0: self = .home
        case 1 where names[0] == "principal": self = .principal
        case 1:
            guard let book = Book(rawValue: String(names[0])) else { return nil }
            self = .book(book)
        case 2:
            guard let book = Book(rawValue: String(names[0])), names[1].hasSuffix(Self.suffix) else { return nil }
            self = .card(book, String(names[1].dropLast(Self.suffix.count)))
        default: return nil
        }
    }

    func href(below base: String) -> String {
        switch self {
        case .home: "\(base)/"
        case .principal: "\(base)/principal/"
        case .book(let book): "\(base)/\(book.rawValue)/"
        case .card(let book, let name): "\(base)/\(book.rawValue)/\(name)\(Self.suffix)"
        }
    }
}
