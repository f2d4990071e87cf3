internal import HTTPTypes

/// Sizes in which servers make pictures of files.
public enum PictureSize: Int, Sendable, Hashable, Codable {
    /// At most 480 pixels on its longer side.
    case thumbnail = 480
    /// At most 1600 pixels on its longer side.
    case page = 1600
    /// At most 2560 pixels on its longer side.
    case large = 2560
}

/// A thing of which servers make pictures and texts.
public enum PreviewedThing: Sendable, Hashable {
    case file(FileID)
    case attachment(AttachmentID)

    fileprivate var path: String {
        switch self {
        case .file(let id): "/api/v1/files/\(id)/preview"
        case .attachment(let id): "/api/v1/attachments/\(id)/preview"
        }
    }
}

extension Session {
    /// Limit of the words of one page, in bytes: servers keep at most 1 MiB of a document.
    private static let maxTextBytes = 4 << 20

    /// A picture of a file, as WebP.
    ///
    /// Throws `busy` with `retryAfter` and the status 202 while it is being made; `quarantined`; `invalid` with the
    /// status 422 for a file of which there is none.
    /// - Parameter page: of a document, from 1.
    public func picture(
        of thing: PreviewedThing, _ size: PictureSize = .thumbnail, page: Int = 1
    ) async throws(ClientError) -> Content {
        let query = [("size", "\(size.rawValue)"), ("page", "\(page)")]
        return try Content(try await made(.get(thing.path, query)), asked: 0)
    }

    /// The words of one page of a document, as plain text; empty for a page without words, and behind the last page.
    ///
    /// Throws as `picture(of:_:page:)` does.
    /// - Parameter page: from 1.
    public func text(of thing: PreviewedThing, page: Int = 1) async throws(ClientError) -> String {
        let call = Call.get("\(thing.path)/text", [("page", "\(page)")])
        let bytes = try await made(call).collected(upTo: Self.maxTextBytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A response with what the server has made by now.
    private func made(_ call: Call) async throws(ClientError) -> TransportResponse {
        let response = try await stream(call)
        guard response.head.status == .accepted else { return response }
        let seconds = response.head.headerFields[.retryAfter].flatMap { Int64($0) } ?? 1
        throw ClientError(.busy, "it is being made", retryAfter: .seconds(min(max(0, seconds), 60)), status: 202)
    }
}
