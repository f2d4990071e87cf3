internal import Foundation
import FundCore

/// A file of contacts that waits for its user's word, as JSON in a column.
enum StagedContactText {
    private struct File: Decodable {
        var name: String
        var hasMore: Bool
        var ignored: [String]
        var contacts: [Entry]
    }

    private struct Entry: Decodable {
        var line: Int
        var uid: String?
        var leftOut: [String]
        var card: ContactCard
    }

    static func text(of file: StagedContacts) -> String {
        var json = JSONWriter(reserving: 256 * file.contacts.count)
        json.object { json in
            json.field("name", file.name)
            json.field("hasMore", file.hasMore)
            json.field("ignored", file.ignoredColumns)
            json.objects("contacts", file.contacts) { json, contact in
                json.field("line", contact.line)
                json.field("uid", contact.uid)
                json.field("leftOut", contact.leftOut.map(\.rawValue).sorted())
                json.object("card") { $0.field(contact.card) }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Nil for a text that a program of another version wrote.
    static func file(_ text: String) -> StagedContacts? {
        guard let file = try? JSONDecoder().decode(File.self, from: Data(text.utf8)) else { return nil }
        let contacts = file.contacts.map { entry in
            ImportedContact(
                line: entry.line, card: entry.card, uid: entry.uid,
                leftOut: Set(entry.leftOut.compactMap(ImportedContact.LeftOut.init)))
        }
        return StagedContacts(
            name: file.name, contacts: contacts, hasMore: file.hasMore, ignoredColumns: file.ignored)
    }
}
