internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Hummingbird

/// The page of an upload link, and the files that a person outside puts by it. It shows no file but those just put.
extension SharedRoute {
    static let uploadRoutes: [SharedRoute] = [
        SharedRoute(method: .post, path: "/{token}/files", needsGrant: true) { call in
            let opened = try await call.opened()
            guard opened.link.purpose == .upload else { throw RequestError.notFound }
            return try await SharedUpload(call, opened).response()
        }
    ]

    static func uploadPage(
        _ opened: OpenedLink, _ call: SharedCall, put names: [String] = [], refused: [PageModel] = [],
        failure: String? = nil
    ) async throws -> Response {
        guard let allowance = opened.link.allowance else { throw RequestError.notFound }
        let received = opened.link.received
        let files = max(allowance.maxFiles - received.files, 0)
        var model = head(opened, call)
        model.merge([
            "names": names, "hasNames": !names.isEmpty, "count": call.words.count("shared.put", names.count),
            "refused": refused, "hasRefused": !refused.isEmpty, "isOpen": files > 0,
            "room": call.words(
                "shared.room", call.words.count("files", files),
                call.page.formats.size(max(allowance.maxBytes - received.bytes, 0))),
        ])
        model["visitor"] = try call.granted().visitor
        if let failure { model.fail(failure) }
        return call.page(
            "sharedupload", model, title: call.words("shared.upload.title"),
            status: failure == nil ? .ok : .badRequest)
    }
}

/// The files of one form. Each is stored as it comes.
struct SharedUpload {
    /// Parts of one form, files and others.
    private static let maxParts = 200
    /// Bytes of a part that is no file.
    private static let maxFieldBytes = 4096
    private static let maxShownNameBytes = 400

    private let call: SharedCall
    private let opened: OpenedLink

    init(_ call: SharedCall, _ opened: OpenedLink) { (self.call, self.opened) = (call, opened) }

    private struct Received {
        var names: [String] = []
        var refused: [PageModel] = []
        var failure: String?
    }

    func response() async throws -> Response {
        guard let boundary = Multipart.boundary(call.page.request.headers[.contentType]) else {
            throw RequestError(.unsupportedMediaType, "not-form", "the body must be a form")
        }
        let (connection, link) = (call.page.context.connection, opened.link.id)
        let declared = call.page.request.headers[.contentLength].map { Int64($0) ?? .max }
        var received = Received()
        do {
            try await call.page.library.requireRoom(for: call.page.request, of: opened.owner.id)
            try await call.links.reservations.run(of: link, declaring: declared, { try await call.opened().link }) {
                room in
                try await call.links.transfers.run(
                    of: link, isAllowed: { [call] in await SharedCall.holds { _ = try await call.opened() } },
                    cut: connection.close
                ) {
                    connection.beginUpload()
                    var reader = MultipartReader(call.page.request.body, boundary: boundary)
                    try await receive(&received, of: &reader, upTo: room)
                }
            }
        } catch let error as LinkReservationError {
            received.failure = call.words("shared.\(Self.words(of: error))")
        } catch let failure as StoreError where failure.code == .overQuota {
            received.failure = call.words("shared.full")
        }
        let now: OpenedLink
        do { now = try await call.opened() } catch { now = opened }
        return try await SharedRoute.uploadPage(
            now, call, put: received.names, refused: received.refused,
            failure: received.failure ?? (received.names.isEmpty ? call.words("shared.nothing") : nil))
    }

    private static func words(of error: LinkReservationError) -> String {
        switch error {
        case .full: "full"
        case .reserved: "reserved"
        case .tooLarge: "toolarge"
        }
    }

    /// Goes on until a file is too many or too large: what came by then stays.
    private func receive(
        _ received: inout Received, of reader: inout MultipartReader, upTo room: LinkReservations.Reservation
    ) async throws {
        var parts = 0
        while let part = try await reader.nextPart() {
            parts += 1
            guard parts <= Self.maxParts else {
                received.failure = call.words("shared.full")
                return
            }
            guard part.name == "file", let sent = part.fileName, !sent.isEmpty else {
                try await skip(&reader)
                continue
            }
            let name = Self.lastStep(of: sent)
            do {
                try await file(named: name, part.contentType, &reader, upTo: room)
                // The name that was sent: that of the file tells by its number what lies in the folder.
                received.names.append(name.label.prefix(bytes: Self.maxShownNameBytes))
            } catch let failure as StoreError where failure.isOne(of: .tooMany, .overQuota) {
                received.failure = call.words("shared.full")
                return
            } catch let failure as RequestError where failure.status == .contentTooLarge {
                received.failure = call.words("shared.full")
                return
            } catch let failure as StoreError where failure.code == .invalid {
                received.refused.append([
                    "name": name.prefix(bytes: Self.maxShownNameBytes),
                    "why": call.words.sentence(failure.requestError),
                ])
            }
        }
    }

    private func skip(_ reader: inout MultipartReader) async throws {
        var count = 0
        while let chunk = try await reader.nextChunk() {
            count += chunk.readableBytes
            guard count <= Self.maxFieldBytes else { throw RequestError.tooLarge }
        }
    }

    private func file(
        named name: String, _ contentType: String, _ reader: inout MultipartReader,
        upTo reservation: LinkReservations.Reservation
    ) async throws {
        let now = try await call.opened()
        // The store asks again: others may put files at the same time.
        guard let allowance = now.link.allowance, now.link.received.files < allowance.maxFiles else {
            throw StoreError(.tooMany, "add a file by a link", "no more files come by this link")
        }
        let room = reservation.left
        var count: Int64 = 0
        let upload = try await call.page.parts.uploads.receive(
            named: name, contentType: contentType,
            next: {
                guard let chunk = try await reader.nextChunk() else { return nil }
                count += Int64(chunk.readableBytes)
                guard count <= room else { throw RequestError.tooLarge }
                return chunk
            }, checkUser: { _ = try await call.opened() })
        let visitor = ShareVisitor(name: try call.granted().visitor, network: call.network.description)
        let file = try await call.store.addFile(
            upload, named: name, through: opened.link.id, by: visitor, at: call.now)
        reservation.noteStored(file.size)
    }

    /// Old browsers send a path.
    private static func lastStep(of sent: String) -> String {
        let steps = sent.utf8.split { byte in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
        return steps.last.map { String(Substring($0)) } ?? sent
    }
}
