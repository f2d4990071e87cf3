/// A share link to be made.
package struct NewShareLink: Sendable {
    /// Days for which a link is good unless its owner says otherwise.
    package static let usualDays = 7
    package static let mostDays = 366
    package static let maxItems = 100
    package static let maxOpenings = 1_000_000
    /// Unicode scalars.
    package static let maxLabelLength = 200

    /// The things to be shown, all of one fund: files, folders, notes and emails. Of an upload link one fund or folder.
    package var items: [LibraryItemID]
    package var purpose: ShareLink.Purpose
    package var expiresAt: Timestamp
    package var label: String?
    /// The hash of its password, as `PasswordHash` writes it; nil for no password.
    package var passwordHash: String?
    package var maxOpenings: Int?
    /// Only for files and folders: text is no picture.
    package var isWatermarked = false
    package var showsOwner = false
    /// For an upload link alone.
    package var allowance: UploadAllowance?
    package var secret: ShareLinkSecret

    package init(
        items: [LibraryItemID], purpose: ShareLink.Purpose, expiresAt: Timestamp, secret: ShareLinkSecret
    ) {
        self.items = items
        self.purpose = purpose
        self.expiresAt = expiresAt
        self.secret = secret
        if purpose == .upload { allowance = .usual }
    }

    /// The mistake in it at a time, as far as its values tell; nil for none.
    package func problem(at now: Timestamp) -> InputProblem? {
        let kinds = Set(items.map(\.kind))
        if items.isEmpty { return InputProblem(.linkEmpty, "a link shows at least one thing") }
        if items.count > Self.maxItems || Set(items).count != items.count {
            return InputProblem(.linkTooMany, "a link shows at most \(Self.maxItems) things, each once")
        }
        if purpose == .upload {
            guard items.count == 1, kinds.isSubset(of: [.fund, .folder]) else {
                return InputProblem(.linkPlace, "files are put into one fund or folder")
            }
        } else if kinds.contains(.fund) {
            return InputProblem(.linkFund, "a link shows files, folders, notes and emails, and no whole fund")
        }
        if isWatermarked, purpose != .read || !kinds.isSubset(of: [.file, .folder]) {
            return InputProblem(.linkWatermark, "a watermark stands in pictures of files that are only shown")
        }
        if expiresAt <= now || expiresAt > now + .seconds(Self.mostDays * 86_400) {
            return InputProblem(.linkExpiry, "a link is good for at most \(Self.mostDays) days")
        }
        if let maxOpenings, !(1...Self.maxOpenings).contains(maxOpenings) {
            return InputProblem(.linkOpenings, "a link is opened between 1 and \(Self.maxOpenings) times")
        }
        if let label, label.unicodeScalars.count > Self.maxLabelLength {
            return InputProblem(.linkLabel, "a name of a link has at most \(Self.maxLabelLength) characters")
        }
        guard (allowance != nil) == (purpose == .upload) else {
            return InputProblem(.linkAllowance, "the limits of uploads belong to upload links")
        }
        if let allowance,
            !(1...UploadAllowance.mostFiles).contains(allowance.maxFiles)
                || !(1...UploadAllowance.mostBytes).contains(allowance.maxBytes)
        {
            return InputProblem(
                .linkAllowance, "up to \(UploadAllowance.mostFiles) files and 1 TiB come by an upload link")
        }
        return nil
    }
}
