internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Hummingbird

/// Files of drives, sent while they are read. Nothing of them is kept here.
struct DriveDownloads: Sendable {
    /// Files of one user at the same time: each has a process that reads, as long as its client takes.
    static let maxOfUser = 2
    /// Files of all users at the same time. The bridge to stores has twice as many processes: clients that read slowly
    /// leave the others to those who browse, and to transfers.
    static let maxOfAll = 4

    private let permits = UserPermits(most: maxOfUser, ofAll: maxOfAll)

    /// The answer with a file. Throws `DriveError` before anything is sent, and 503 while there are too many.
    /// A file that ends too early, or grows, breaks the connection: the client sees that it is not whole.
    func response(
        _ entry: DriveEntry, to request: Request, of user: User.ID, over sends: StreamSends?,
        isAllowed: @escaping @Sendable () async -> Bool, by read: @escaping PieceReading
    ) async throws -> Response {
        guard !entry.isFolder else { throw DriveError(.name, "a folder cannot be read") }
        guard let permit = permits.permit(for: user) else { throw RequestError.busy }
        let headers = Self.headers(of: entry)
        guard request.method != .head else {
            return Response(
                status: .ok, headers: headers, body: ResponseBody(contentLength: entry.size.map(Int.init)) { _ in })
        }
        sends?.expectPieces()
        let body = ResponseBody(contentLength: entry.size.map(Int.init)) { writer in
            defer { withExtendedLifetime(permit) {} }
            let pipe = try DrivePipe()
            let reading = Task {
                pipe.finish(await Result { try await read { try pipe.write($0) } })
            }
            defer {
                reading.cancel()
                pipe.stopReading()
            }
            var rest = entry.size
            while true {
                let wanted = Int(min(Int64(ReservedOutput.pieceSize), max(rest ?? .max, 1)))
                let granted = try await sends?.take(upTo: wanted) ?? wanted
                let bytes = try await pipe.read(atMost: granted)
                guard bytes.readableBytes > 0 else { break }
                guard await isAllowed() else { throw RequestError.unauthenticated }
                if let known = rest {
                    guard known >= bytes.readableBytes else { throw DriveError(.changed) }
                    rest = known - Int64(bytes.readableBytes)
                }
                try await writer.write(bytes)
            }
            guard rest ?? 0 == 0 else { throw DriveError(.changed) }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// A file of a stranger's making: it is saved, never shown.
    private static func headers(of entry: DriveEntry) -> HTTPFields {
        var headers: HTTPFields = [
            .contentType: MediaTypes.type(named: entry.name), .cacheControl: "private, no-store",
            .contentDisposition: ContentHeaders.disposition("attachment", name: entry.name),
            .contentSecurityPolicy: ContentHeaders.policy,
        ]
        headers[.xContentTypeOptions] = "nosniff"
        if let modifiedAt = entry.modifiedAt { headers[.lastModified] = DateText.http(modifiedAt) }
        return headers
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
