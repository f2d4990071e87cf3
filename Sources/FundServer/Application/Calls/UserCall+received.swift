internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Ingest

extension UserCall {
    /// Files the mail of the path parameter `received`, which the user sent and which waits for a fund alone, into a
    /// fund of theirs. Throws 404 for the mail or the fund of another, 409 for mail that waits no more or for more than
    /// that.
    /// - Returns: the mail as it is then.
    func fileOwnMail(into fund: Fund.ID) async throws -> ReceivedMail {
        let (id, user): (ReceivedMail.ID, User) = (try id("received"), try user)
        let (mail, message) = try await library.receivedMail(id, of: user.id)
        guard mail.resolution == nil else {
            throw StoreError(.alreadyResolved, "file a mail of one's own", "it does not wait any more")
        }
        guard mail.isForSender else { throw RequestError(.conflict, "conflict", "it does not wait for a fund") }
        _ = try await parts.desk.fileOwn(message, into: fund, of: user)
        return try await library.receivedMail(id, of: user.id).mail
    }
}
