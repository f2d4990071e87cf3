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

extension Session {
    /// A picture of a file, as WebP.
    ///
    /// Throws `busy` with `retryAfter` while it is being made; `quarantined`; `invalid` with the status 422 for a file
    /// of which there is none.
    /// - Parameter page: of a document, from 1.
    public func picture(
        of file: FileID, _ size: PictureSize = .thumbnail, page: Int = 1
    ) async throws(ClientError) -> Content {
        let response = try await stream(
            .get("/api/v1/files/\(file)/preview", [("size", "\(size.rawValue)"), ("page", "\(page)")]))
        guard response.head.status != .accepted else {
            let seconds = response.head.headerFields[.retryAfter].flatMap { Int64($0) } ?? 1
            throw ClientError(
                .busy, "the picture is being made", retryAfter: .seconds(min(max(0, seconds), 60)), status: 202)
        }
        return try Content(response, asked: 0)
    }
}
