public import Foundation

/// A fund with how much is in it and what is new.
public struct FundSummary: Sendable, Hashable, Decodable, Identifiable {
    /// The fund itself.
    public var fund: Fund
    /// Files in the fund, those in its folders among them.
    public var fileCount: Int64
    /// Filed emails.
    public var emailCount: Int64
    /// Notes.
    public var noteCount: Int64
    /// Time of the latest email; nil without one.
    public var latestEmailAt: Date?
    /// Time at which the user looked at it last.
    public var seenAt: Date?
    /// Emails that came since then.
    public var newEmailCount: Int64
    /// Files that came since then otherwise than by mail.
    public var newFileCount: Int64

    /// Id of the fund on the server.
    public var id: FundID { fund.id }

    private enum CodingKeys: String, CodingKey {
        case fileCount, emailCount, noteCount, latestEmailAt, seenAt, newEmailCount, newFileCount
    }

    /// Reads an object with the members of a fund beside the counts.
    public init(from decoder: any Decoder) throws {
        fund = try Fund(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        fileCount = try container.decode(Int64.self, forKey: .fileCount)
        emailCount = try container.decode(Int64.self, forKey: .emailCount)
        noteCount = try container.decode(Int64.self, forKey: .noteCount)
        latestEmailAt = try container.decodeIfPresent(Date.self, forKey: .latestEmailAt)
        seenAt = try container.decodeIfPresent(Date.self, forKey: .seenAt)
        newEmailCount = try container.decode(Int64.self, forKey: .newEmailCount)
        newFileCount = try container.decode(Int64.self, forKey: .newFileCount)
    }
}
