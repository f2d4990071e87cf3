internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// Files that come from a page: from a form without scripts many parts of one body (RFC 7578), from the page's script
/// one body for each file, so that it can show how far each has come.
struct PageUpload {
    private static let maxTokenBytes = 256
    /// Bytes of a part that is no file.
    private static let maxFieldBytes = 4096
    /// Parts of one form, files and others: as many as a selection has rows. A script sends each file by itself.
    static let maxParts = 1000
    /// More files of one form with names that cannot be kept are no mistake.
    private static let maxRefused = 100
    /// Bytes that are shown of a name that cannot be kept: one character may be kilobytes.
    private static let maxShownNameBytes = 400

    let call: PageCall

    func response() async throws -> Response {
        let query = try call.query()
        let place = LibraryPlace(fund: try call.id("fund"), folder: try query.id("folder"))
        // Checked before gigabytes are received for a place that does not exist.
        _ = try await call.library.fund(place.fund, of: try call.userID)
        if let folder = place.folder { _ = try await call.library.folder(folder, of: try call.userID) }
        guard let name = query["name"] else { return try await manyParts(to: place) }
        try call.checkToken(call.request.headers[.formToken])
        let conflict = try NameConflict(query)
        var (target, type) = (FileTarget(name, in: place, ifTaken: conflict), MediaTypes.declared(call.request.headers))
        target.modifiedAt = try query.modificationTime()
        if call.request.headers.contains(.uploadComplete) {
            try await refuseTaken(target)
            if let response = try await resumable.begin(
                .file(target), contentType: type, modifiedAt: target.modifiedAt)
            {
                return response
            }
        }
        try await call.library.requireRoom(for: call.request, of: try call.userID)
        let upload = try await call.parts.uploads.receive(
            call.request, call.context, named: name, contentType: type, checkUser: checkSession)
        return created(try await call.library.addFile(upload, at: target, of: try call.userID))
    }

    /// Large files, which the page's script sends so that what has come stays when the line is cut.
    var resumable: ResumableUploadCalls {
        ResumableUploadCalls(call: call, root: "/library/uploads") { _, file in created(file) }
    }

    /// Large files are not sent in vain: what to do with a name that is taken is asked before the first byte.
    private func refuseTaken(_ target: FileTarget) async throws {
        guard target.ifTaken == .refuse,
            try await call.library.item(named: target.name, in: target.place, of: try call.userID) != nil
        else { return }
        throw StoreError(.alreadyExists, "upload a file", "the name \(target.name) is taken")
    }

    private func created(_ file: FileEntry) -> Response { call.json(.created) { $0.field("id", file.id) } }

    /// The field `csrf` stands first. A name that is taken gets a number: a form without scripts cannot ask.
    private func manyParts(to place: LibraryPlace) async throws -> Response {
        guard let boundary = Multipart.boundary(call.request.headers[.contentType]) else {
            throw RequestError(.unsupportedMediaType, "not-form", "the body must be a form")
        }
        call.context.connection.beginUpload()
        var reader = MultipartReader(call.request.body, boundary: boundary)
        guard let first = try await reader.nextPart(), first.name == "csrf" else { throw RequestError.foreignForm }
        var token: [UInt8] = []
        while let chunk = try await reader.nextChunk() {
            token += chunk.readableBytesView
            guard token.count <= Self.maxTokenBytes else { throw RequestError.foreignForm }
        }
        try call.checkToken(String(decoding: token, as: UTF8.self))
        var received = Received()
        do {
            try await receive(&received, of: &reader, to: place)
            return try await page(of: received, place)
        } catch { throw RequestError(error).after(received.count) }
    }

    private func page(of received: Received, _ place: LibraryPlace) async throws -> Response {
        guard let problem = received.problem(call.words) else {
            let back = LibraryPaths.place(place)
            return call.redirect(to: LibraryPaths.with(back, received.count == 0 ? "done=nothing" : "done=uploaded"))
        }
        let model: PageModel = [
            "failure": problem, "refused": received.refused, "hasRefused": !received.refused.isEmpty,
        ]
        return try await PageRoute.filesPage(call, model, status: received.isOver ? .contentTooLarge : .badRequest)
    }

    /// The outcome for the files of one form.
    private struct Received {
        /// Files that were stored.
        var count = 0
        var refused: [PageModel] = []
        /// Whether more parts came than one form may have.
        var isOver = false

        func problem(_ words: Words) -> String? {
            let files = words.count("files", count)
            if isOver { return words("upload.many", files, "\(PageUpload.maxParts)") }
            return refused.isEmpty ? nil : words("upload.partly", files, words.count("files", refused.count))
        }
    }

    /// Throws when it cannot go on; what was received by then stays.
    private func receive(
        _ received: inout Received, of reader: inout MultipartReader, to place: LibraryPlace
    ) async throws {
        var parts = 0
        while let part = try await reader.nextPart() {
            parts += 1
            guard parts <= Self.maxParts else {
                received.isOver = true
                return
            }
            // A form without a chosen file sends a part without a name.
            guard part.name == "file", let name = part.fileName, !name.isEmpty else {
                var count = 0
                while let chunk = try await reader.nextChunk() {
                    count += chunk.readableBytes
                    guard count <= Self.maxFieldBytes else { throw RequestError.tooLarge }
                }
                continue
            }
            // Old browsers send a path.
            let steps = name.utf8.split { byte in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
            let last = steps.last.map { String(Substring($0)) } ?? name
            let upload = try await call.parts.uploads.receive(
                named: last, contentType: part.contentType, next: { try await reader.nextChunk() },
                checkUser: checkSession)
            do {
                _ = try await call.library.addFile(
                    upload, at: FileTarget(last, in: place, ifTaken: .number), of: try call.userID)
                received.count += 1
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                // A name that cannot be kept; the files behind it can.
                guard received.refused.count < Self.maxRefused else { throw failure }
                received.refused.append([
                    "name": last.prefix(bytes: Self.maxShownNameBytes),
                    "why": call.words.sentence(failure.requestError),
                ])
            }
        }
    }

    private func checkSession() async throws {
        guard await call.isStillSignedIn() else { throw RequestError.unauthenticated }
    }
}

extension HTTPField.Name {
    /// Holds the token of a form where there is no form.
    static let formToken = constant("X-Form-Token")
}
