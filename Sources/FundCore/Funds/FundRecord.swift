/// A fund as administrators see it.
package struct FundRecord: Sendable, Hashable {
    package var fund: Fund
    package var ownerEmail: String
    package var createdAt: Timestamp
    package var isArchived: Bool
    package var emailCount: Int
    package var fileCount: Int
    /// Bytes of its files, content that occurs twice counted twice.
    package var bytes: Int64

    package init(
        fund: Fund, ownerEmail: String, createdAt: Timestamp, isArchived: Bool, emailCount: Int, fileCount: Int,
        bytes: Int64
    ) {
        self.fund = fund
        self.ownerEmail = ownerEmail
        self.createdAt = createdAt
        self.isArchived = isArchived
        self.emailCount = emailCount
        self.fileCount = fileCount
        self.bytes = bytes
    }
}
