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

    let library: any FundLibrary & FileReading & MailLibrary
    let downloads: Downloads
    /// Where a zip file is made that is not sent at once.
    let uploads: any UploadStaging
    private let use = ZipUse(maxEntries: maxEntriesOfAll, maxOfUser: maxOfUser)

    init(
        library: any FundLibrary & FileReading & MailLibrary, downloads: Downloads, uploads: any UploadStaging
    ) {
        self.library = library
        self.downloads = downloads
        self.uploads = uploads
    }

    /// The entries of a zip file, with a share in what may be made at a time, which is held until it is whole.
    /// - Parameter leavesOut: whether what is kept from people is left out, without a word.
    func plan(
        _ selection: ZipSelection, of user: User.ID, leavingOutWithheld leavesOut: Bool = false
    ) async throws -> (ZipPlan, ZipUse.Share) {
        let share = try use.share(of: user)
        var found = try await library.zipItems(selection, atMost: Self.maxEntries, of: user)
        // None is a folder: places of folders stay as they are.
        if leavesOut { found.removeAll { $0.isWithheld } }
        try share.add(entries: found.count)
        return (ZipPlan(found), share)
    }

    /// How a zip file is made for people who are not its owner.
    struct Outside: Sendable {
        /// Name of the zip file, without its ending: that of the fund is the owner's own.
        var name: String
        /// Whether what is kept from people is left out, without a word.
        var leavesOutWithheld: Bool
    }

    /// Answers with the zip file. Throws the errors of `FileLibrary.zipItems`, and `busy` when too many are being
    /// sent.
    /// - Parameters:
    ///   - outside: nil for its owner.
    ///   - sends: bounds what is read ahead of the client.
    ///   - isAllowed: whether the user still has access. Asked for each piece; the zip file breaks off when not.
    func response(
        _ selection: ZipSelection, of user: User.ID, as outside: Outside? = nil, over sends: StreamSends?,
        isAllowed: @escaping @Sendable () async -> Bool
    ) async throws -> Response {
        let fund = try await library.fund(selection.fund, of: user)
        let leavesOut = outside?.leavesOutWithheld ?? false
        let (plan, share) = try await plan(selection, of: user, leavingOutWithheld: leavesOut)
        let length = try plan.length()
        let stream = ZipStream(
            plan: plan, library: library, downloads: downloads, user: user, sends: sends, isAllowed: isAllowed)
        // A selection of one thing has its name; an email stands in a folder that is made for it.
        let isOne = selection.items?.count == 1 && plan.items.count { $0.parent == nil } == 1
        let only = selection.items?.first?.kind == .email ? plan.items.last : plan.items.first
        let ownName = isOne ? only?.name ?? fund.name : fund.name
        let name = ZipNames.safe(outside?.name ?? ownName).prefix(bytes: 250) + ".zip"
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

extension ZipItem {
    fileprivate var isWithheld: Bool {
        if case .withheld = content { true } else { false }
    }
}
