/// A rule by which mail finds its fund, as an administrator teaches it at the desk.
package enum DeskRule: Sendable, Hashable {
    /// Mail from there is the user's.
    case address(String, of: User.ID)
    /// The tag leads to the fund.
    case alias(String, of: Fund.ID)

    /// The address or the alias.
    package var name: String {
        switch self {
        case .address(let name, _), .alias(let name, _): name
        }
    }
}
