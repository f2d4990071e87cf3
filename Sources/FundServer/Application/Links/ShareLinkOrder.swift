internal import FundHTTP
internal import FundCore

/// A link as its owner asks for it, on a page or by a program.
struct ShareLinkOrder: Sendable {
    var items: [LibraryItemID]
    var purpose = ShareLink.Purpose.download
    /// Days for which it is good.
    var days = NewShareLink.usualDays
    var label: String?
    /// Nil and empty for none.
    var password: String?
    var maxOpenings: Int?
    var isWatermarked = false
    var showsOwner = false
    var allowance: UploadAllowance?

    init(items: [LibraryItemID]) { self.items = items }
}

/// Why a link is not made by what was typed for its password.
struct LinkPasswordProblem: RequestErrorConvertible {
    var problem: PasswordProblem

    var requestError: RequestError { .invalid(problem.text) }
}
