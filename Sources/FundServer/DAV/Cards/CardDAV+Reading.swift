internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension CardDAV {
    /// A card, or words for who opens a collection in a browser.
    func get(_ call: CardCall) async throws -> Response {
        guard case .card(let book, let name) = try call.place() else {
            return Response(
                .ok, "text/plain; charset=utf-8",
                ByteBuffer(string: "Address books for devices (CardDAV). In a browser see /library/contacts.\n"),
                headers: [.cacheControl: "no-store"])
        }
        guard let card = try await cards(named: [name], of: book, call.user).first else { throw RequestError.notFound }
        var headers: HTTPFields = [.eTag: card.entityTag, .cacheControl: "private, no-cache"]
        switch Precondition(
            call.request.headers, entityTag: card.entityTag, modifiedAt: card.changedAt, isReading: true)
        {
        case .failed: throw RequestError.preconditionFailed
        case .notModified: return Response(status: .notModified, headers: headers)
        case .proceed: break
        }
        headers[.contentDisposition] = ContentHeaders.disposition("attachment", name: "\(name).vcf")
        return Response(.ok, VCardWriter.contentType, ByteBuffer(bytes: card.text(.v3)), headers: headers)
    }

    /// RFC 4918 §9.1.
    func propfind(_ call: CardCall) async throws -> Response {
        let depth = try DAVDepth(call.request.headers)
        let properties = CardProperties(
            try PropfindRequest(try await call.body()), base: call.base, user: call.user)
        let place = try call.place()
        var writer = MarkupWriter()
        writer.raw("<D:multistatus\(CardProperties.declarations)>")
        switch place {
        case .card(let book, let name):
            guard let card = try await cards(named: [name], of: book, call.user).first else {
                throw RequestError.notFound
            }
            properties.write(card, in: book, to: &writer)
        case .home, .principal, .book:
            guard depth != .infinity else {
                throw DAVError(.forbidden, "Depth must be 0 or 1", .propfindFiniteDepth)
            }
            try await write(place, properties, call, to: &writer)
            if depth == .one { try await writeMembers(of: place, properties, call, to: &writer) }
        }
        writer.raw("</D:multistatus>")
        return .xml(.multiStatus, writer)
    }

    private func write(
        _ place: CardPlace, _ properties: CardProperties, _ call: CardCall, to writer: inout MarkupWriter
    ) async throws {
        var token: String?
        if case .book(let book) = place { token = try await self.token(of: book, call.user) }
        properties.write(place, token: token, to: &writer)
    }

    private func writeMembers(
        of place: CardPlace, _ properties: CardProperties, _ call: CardCall, to writer: inout MarkupWriter
    ) async throws {
        switch place {
        case .home: for book in books { try await write(.book(book), properties, call, to: &writer) }
        case .book(let book):
            var reserved = 0
            for card in try await cards(of: book, call.user) {
                properties.write(card, in: book, to: &writer)
                try await call.reserve(for: writer.byteCount, &reserved)
            }
        case .principal, .card: break
        }
    }
}
