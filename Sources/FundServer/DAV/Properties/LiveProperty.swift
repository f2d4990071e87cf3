internal import FundHTTP
internal import FundCore

/// Properties from rows (RFC 4918 §15) and disk (RFC 4331). All are protected: MOVE changes names, PUT contents.
enum LiveProperty: String, CaseIterable, Sendable {
    case creationdate, displayname, getcontentlength, getcontenttype, getetag, getlastmodified, lockdiscovery
    case resourcetype, supportedlock
    case quotaAvailable = "quota-available-bytes"
    case quotaUsed = "quota-used-bytes"

    /// RFC 4331 §3, §4: they should not be in `allprop`.
    static let ofAll = allCases.filter { !$0.isQuota }

    var isQuota: Bool { self == .quotaAvailable || self == .quotaUsed }

    init?(_ name: MarkupName) {
        guard name.namespace == MarkupName.davNamespace else { return nil }
        self.init(rawValue: name.local)
    }

    /// - Parameter item: nil for the root.
    func isThere(for item: LibraryItem?) -> Bool {
        switch (self, item) {
        case (.getcontentlength, .file), (.getcontenttype, .file), (.getetag, .file): true
        case (.getcontentlength, _), (.getcontenttype, _), (.getetag, _): false
        case (.creationdate, nil), (.getlastmodified, nil): false
        case (.quotaAvailable, .file), (.quotaUsed, .file): false
        default: true
        }
    }

    /// Writes the element with its value, except for locks and quotas, which the item does not hold.
    func write(_ item: LibraryItem?, to writer: inout MarkupWriter) {
        switch (self, item) {
        case (.creationdate, let item?):
            writer.element("D:creationdate", DateText.internet(item.createdAt))
        case (.getlastmodified, let item?):
            writer.element("D:getlastmodified", DateText.http(item.modifiedAt))
        case (.displayname, let item): writer.element("D:displayname", item?.name ?? "Funds")
        case (.getcontentlength, .file(let file)):
            writer.element("D:getcontentlength", String(file.size))
        case (.getcontenttype, .file(let file)): writer.element("D:getcontenttype", file.contentType)
        case (.getetag, .file(let file)): writer.element("D:getetag", file.digest.entityTag)
        case (.resourcetype, .file): writer.raw("<D:resourcetype/>")
        case (.resourcetype, _): writer.raw("<D:resourcetype><D:collection/></D:resourcetype>")
        case (.supportedlock, _): writer.raw(Self.supportedLocks)
        default: break
        }
    }

    private static let supportedLocks =
        "<D:supportedlock>"
        + ["exclusive", "shared"].map {
            "<D:lockentry><D:lockscope><D:\($0)/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>"
        }.joined() + "</D:supportedlock>"
}

extension LibraryItem {
    var createdAt: Timestamp {
        switch self {
        case .fund(let fund): fund.createdAt
        case .folder(let folder): folder.createdAt
        case .file(let file): file.createdAt
        }
    }

    var modifiedAt: Timestamp {
        switch self {
        case .fund(let fund): fund.modifiedAt
        case .folder(let folder): folder.modifiedAt
        case .file(let file): file.modifiedAt
        }
    }
}
