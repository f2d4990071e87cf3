extension FolderSync {
    /// Some sixteen seconds in all: nothing above repeats a call.
    private static let retries = RetryPolicy(maxAttempts: 7)

    /// A folder that is kept in step with the funds of a signed-in user.
    ///
    /// Throws `busy` when another process keeps the folder, `conflict` when it belongs to another account or fund;
    /// `local`.
    /// - Parameters:
    ///   - path: an existing folder. Its own files lie in `.fund` there.
    ///   - catalogue: of the account; it is brought up to date.
    public convenience init(
        _ path: String, of session: Session, catalogue: Catalogue, options: Options = Options()
    ) throws(ClientError) {
        let account = session.account
        let place = options.fund.map { " (only fund \($0))" } ?? ""
        let user = account.email.split(separator: "@").first.map(String.init) ?? "me"
        let patient = session.retries == .never ? session : session.retrying(Self.retries)
        try self.init(
            path, with: SessionRemote(patient, catalogue, fund: options.fund), scope: "\(account)\(place)", user: user,
            options: options)
    }
}
