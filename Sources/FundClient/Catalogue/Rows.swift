internal import Foundation
internal import GRDB

extension Date {
    init(column seconds: Int64) { self.init(timeIntervalSince1970: Double(seconds)) }

    /// Whole seconds since 1970.
    var column: Int64 { secondsSince1970 }
}

extension Row {
    /// Id in a column that is never NULL.
    func id<Thing>(_ column: String) -> Identifier<Thing> { Identifier(self[column]) }

    /// Nil for NULL.
    func optionalID<Thing>(_ column: String) -> Identifier<Thing>? { (self[column] as Int64?).map { Identifier($0) } }

    /// Time in a column that is never NULL.
    func time(_ column: String) -> Date { Date(column: self[column]) }

    /// Nil for NULL.
    func optionalTime(_ column: String) -> Date? { (self[column] as Int64?).map { Date(column: $0) } }
}

extension Digest {
    init(column: Data) throws {
        guard let digest = Digest(bytes: column) else { throw ClientError(.local, "the catalogue holds no digest") }
        self = digest
    }

    var column: Data { Data(bytes) }
}

extension Fund {
    static let columns = "id, name, aliases, created_at, modified_at, is_favourite, is_archived"

    init(row: Row) throws {
        self.init(
            id: row.id("id"), name: row["name"],
            aliases: try JSONDecoder().decode([String].self, from: Data((row["aliases"] as String).utf8)),
            createdAt: row.time("created_at"), modifiedAt: row.time("modified_at"), deletedAt: nil,
            isFavourite: row["is_favourite"], isArchived: row["is_archived"])
    }
}

extension Folder {
    static let columns = "id, fund, parent, name, created_at, modified_at"

    init(row: Row) {
        self.init(
            id: row.id("id"), fund: row.id("fund"), parent: row.optionalID("parent"),
            name: row["name"], createdAt: row.time("created_at"),
            modifiedAt: row.time("modified_at"), deletedAt: nil)
    }
}

extension File {
    static let columns = """
        id, fund, folder, name, size, content_type, digest, created_at, modified_at, attachment, email, is_favourite,
        preview
        """

    init(row: Row) throws {
        self.init(
            id: row.id("id"), fund: row.id("fund"), folder: row.optionalID("folder"),
            name: row["name"], size: row["size"], contentType: row["content_type"],
            digest: try Digest(column: row["digest"]), createdAt: row.time("created_at"),
            modifiedAt: row.time("modified_at"), deletedAt: nil,
            attachment: row.optionalID("attachment"),
            email: row.optionalID("email"), isFavourite: row["is_favourite"],
            preview: try (row["preview"] as String?).map {
                try JSONDecoder().decode(Preview.self, from: Data($0.utf8))
            })
    }
}

extension EmailSummary {
    static let columns = "id, fund, subject, sender, sent_at, received_at, attachment_count, is_favourite"

    init(row: Row) {
        self.init(
            id: row.id("id"), fund: row.id("fund"), subject: row["subject"], from: row["sender"],
            sentAt: row.optionalTime("sent_at"), receivedAt: row.time("received_at"),
            attachmentCount: row["attachment_count"], isFavourite: row["is_favourite"], deletedAt: nil)
    }
}

extension Note {
    static let columns = "id, fund, title, content, created_at, modified_at, is_favourite"

    init(row: Row) {
        self.init(
            id: row.id("id"), fund: row.id("fund"), title: row["title"], content: row["content"],
            createdAt: row.time("created_at"), modifiedAt: row.time("modified_at"),
            isFavourite: row["is_favourite"])
    }
}
