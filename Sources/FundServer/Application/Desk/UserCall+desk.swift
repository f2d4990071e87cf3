internal import FundCore
internal import Hummingbird
internal import Ingest

extension UserCall {
    /// The kept message of the path parameter `message`, for an administrator who reads it: others see that.
    func openKept() async throws -> DeskService.View {
        let user = try user
        let view = try await parts.desk.open(try id("message"), actor: user.email)
        parts.deskNotifier.noteOpened(view.record.id, by: user)
        return view
    }

    /// The kept message of the path parameter `message`, as it came. It is read by that, which is noted.
    func rawKept() async throws -> Response {
        let kept = try await parts.store.mail.kept(try id("message"))
        if request.method == .get {
            try await administration.noteOpened(kept.misrouteID, fileCount: nil, actor: try user.email)
        }
        return try await download(
            ServedContent(message: "\(kept.misrouteID)", digest: kept.digest, size: kept.size))
    }
}
