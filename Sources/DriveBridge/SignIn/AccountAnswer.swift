internal import Foundation
internal import FundCore

/// An account, as each store tells it: Dropbox and pCloud beside a token and when they are asked, the others when they
/// are asked.
struct AccountAnswer: Decodable {
    private struct Person: Decodable {
        var permissionId: String?
        var emailAddress: String?
        var email: String?
        var displayName: String?
    }

    private struct Owner: Decodable {
        var user: Person?
    }

    /// Only ever compared; nil where it is not told.
    let id: String?
    /// An address, or another name by which people know the account; nil where it is not told.
    let name: String?

    private enum CodingKeys: String, CodingKey {
        case id, uid, user, owner, login, email
        case accountID = "account_id"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? { try? members.decode(String.self, forKey: key) }
        let person = try? members.decode(Person.self, forKey: .user)
        let owner = (try? members.decode(Owner.self, forKey: .owner))?.user
        id =
            text(.accountID) ?? (try? members.decode(Int64.self, forKey: .uid)).map(String.init)
            ?? person?.permissionId ?? text(.id)
        name = text(.email) ?? text(.login) ?? person?.emailAddress ?? owner?.email ?? owner?.displayName
    }

    static func read(_ body: [UInt8]) -> AccountAnswer? {
        try? JSONDecoder().decode(AccountAnswer.self, from: Data(body))
    }
}
