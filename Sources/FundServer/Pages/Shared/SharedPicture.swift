internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Hummingbird

/// A picture of a file for a person outside: with their address in it where the link says so. Nothing on the page tries
/// again, so that it is waited for until it is made.
struct SharedPicture {
    private static let longestWait = Duration.seconds(20)

    private let opened: OpenedLink
    private let call: SharedCall

    init(_ opened: OpenedLink, _ call: SharedCall) { (self.opened, self.call) = (opened, call) }

    func response(_ content: ServedContent) async throws -> Response {
        guard let previews = call.page.parts.previews else { throw RequestError.notFound }
        let query = try call.page.query()
        guard let kind = RenditionKind(pixels: Int(try query.number("size") ?? 1600)) else {
            throw RequestError.invalid("size must be 480, 1600 or 2560")
        }
        let answer = try await previews.source.picture(
            kind, page: try call.page.previewPage(query), of: PreviewedFile(content, for: opened.owner.id),
            waitingAtMost: Self.longestWait)
        switch answer {
        case .ready(let picture):
            let bytes = try await marked(picture)
            return Response(
                status: .ok,
                headers: [
                    .contentType: "image/webp", .xContentTypeOptions: "nosniff",
                    .contentSecurityPolicy: ContentHeaders.policy,
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .failed(let failure): throw failure.requestError
        // No failure of this server, which its log would name.
        case .making, .full: return Response(status: .serviceUnavailable, headers: [.retryAfter: "2"])
        }
    }

    private func marked(_ picture: PreviewContent) async throws -> [UInt8] {
        guard opened.link.isWatermarked else { return picture.bytes }
        guard let visitor = try call.granted().visitor, let pictures = call.links.pictures else {
            throw RequestError.notFound
        }
        // An address proves nothing: the network and the day tell which opening in the owner's list it belongs to.
        let day = CivilDate(daysSince1970: Int(call.now.rawValue) / CivilDate.secondsPerDay)
        let mark = "\(visitor)\n\(day.text) \(call.network)"
        return try await pictures.picture(picture, marked: mark, for: call.network.description)
    }
}
