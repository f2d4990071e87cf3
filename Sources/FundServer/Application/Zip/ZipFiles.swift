internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// Sends funds, and parts of them, as zip files that are made while they are sent: memory holds the names of the
/// entries and a piece of a file, the disk nothing. What is in one is what was there when it began.
final class ZipFiles: Sendable {
    /// Limit of entries of one zip file; each takes 200 to 300 bytes of memory.
    static let maxEntries = 250_000
    private static let maxEntriesOfAll = 500_000
    private static let maxOfUser = 4

    private let library: any FundLibrary & FileReading & MailLibrary
    private let downloads: Downloads
    private let use = ZipUse(maxEntries: maxEntriesOfAll, maxOfUser: maxOfUser)

    init(library: any FundLibrary & FileReading & MailLibrary, downloads: Downloads) {
        self.library = library
        self.downloads = downloads
    }

    /// Answers with the zip file. Throws the errors of `FileLibrary.zipItems`, and `busy` when too many are being
    /// sent.
    /// - Parameters:
    ///   - sends: bounds what is read ahead of the client.
    ///   - isAllowed: whether the user still has access. Asked for each piece; the zip file breaks off when not.
    func response(
        _ selection: ZipSelection, of user: User.ID, over sends: StreamSends?,
        isAllowed: @escaping @Sendable () async -> Bool
    ) async throws -> Response {
        let share = try use.share(of: user)
        let fund = try await library.fund(selection.fund, of: user)
        let found = try await library.zipItems(selection, atMost: Self.maxEntries, of: user)
        try share.add(entries: found.count)
        let plan = ZipPlan(found)
        let length = try plan.length()
        let stream = ZipStream(
            plan: plan, library: library, downloads: downloads, user: user, sends: sends, isAllowed: isAllowed)
        // A selection of one thing has its name; an email stands in a folder that is made for it.
        let isOne = selection.items?.count == 1 && plan.items.count { $0.parent == nil } == 1
        let only = selection.items?.first?.kind == .email ? plan.items.last : plan.items.first
        let name = ZipNames.safe("\(isOne ? only?.name ?? fund.name : fund.name)").prefix(bytes: 250) + ".zip"
        var headers: HTTPFields = [
            .contentType: "application/zip", .cacheControl: "no-store", .acceptRanges: "none",
            .contentDisposition: ContentHeaders.disposition("attachment", name: name),
            .contentSecurityPolicy: ContentHeaders.policy,
        ]
        if let length { headers[.contentLength] = String(length) }
        // The room that was reserved for an answer in memory.
        sends?.release()
        sends?.expectPieces()
        let body = ResponseBody(contentLength: length.map { Int($0) }) { writer in
            // The response may also go without being sent.
            defer { withExtendedLifetime(share) {} }
            var stream = stream
            try await stream.send(to: &writer)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }
}
