/// A deleted fund, folder or file with what its owner has to know to decide about it.
package struct TrashEntry: Sendable, Hashable {
    package var item: LibraryItem
    /// Name of the fund in which a folder or file lay; nil for a fund.
    package var fundName: String?
    /// Name of the folder in which it lay; nil at the top of the fund.
    package var folderName: String?
    /// Address of the person who deleted it, unless that is the owner.
    package var deletedBy: String?

    package init(_ item: LibraryItem, fundName: String? = nil, folderName: String? = nil, deletedBy: String? = nil) {
        (self.item, self.fundName, self.folderName, self.deletedBy) = (item, fundName, folderName, deletedBy)
    }

    package var name: String {
        switch item {
        case .fund(let fund): fund.name
        case .folder(let folder): folder.name
        case .file(let file): file.name
        }
    }

    package var deletedAt: Timestamp? {
        switch item {
        case .fund(let fund): fund.deletedAt
        case .folder(let folder): folder.deletedAt
        case .file(let file): file.deletedAt
        }
    }
}

/// An archived fund: out of sight since `fund.deletedAt`, kept for good, and restored at any time.
package struct ArchivedFund: Sendable, Hashable {
    package var fund: FundEntry
    package var fileCount: Int
    package var emailCount: Int
    /// Address of the person who archived it; nil when the audit trail does not say it.
    package var archivedBy: String?

    package init(fund: FundEntry, fileCount: Int, emailCount: Int, archivedBy: String?) {
        (self.fund, self.fileCount, self.emailCount, self.archivedBy) = (fund, fileCount, emailCount, archivedBy)
    }
}

/// Numbers of the items that emptying the trash removes for good.
package struct TrashCounts: Sendable, Hashable {
    package var funds = 0
    package var folders = 0
    package var files = 0
    package var emails = 0
    package var notes = 0

    package init() {}

    package var total: Int { funds + folders + files + emails + notes }
}
