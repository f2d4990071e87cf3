import Foundation
import FundClient

/// A fund in a list.
struct FundLine: Encodable {
    var type = "fund"
    var id: FundID
    var name: String
    var fileCount: Int64
    var emailCount: Int64
    var noteCount: Int64
    var newCount: Int64
    var latestEmailAt: Date?

    init(_ summary: FundSummary) {
        (id, name) = (summary.fund.id, summary.fund.name)
        (fileCount, emailCount, noteCount) = (summary.fileCount, summary.emailCount, summary.noteCount)
        newCount = summary.newEmailCount + summary.newFileCount
        latestEmailAt = summary.latestEmailAt
    }
}
