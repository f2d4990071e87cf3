import FundCore
import Testing

@testable import FundmailCLI

/// Records of manifests of Paperless-ngx, as its versions write them and as they should not be.
struct PaperlessRecordTests {
    @Test func readsDocuments() throws {
        let json = #"""
            {"model": "documents.document", "pk": 7, "fields": {"correspondent": 3, "storage_path": null,
             "title": "Q3 \u00e9", "document_type": 2, "content": "words",
             "mime_type": "application/pdf", "tags": [1, 4],
             "checksum": "d41d8cd98f00b204e9800998ecf8427e", "archive_checksum": null, "created": "2023-05-01",
             "added": "2023-05-02T10:00:00.123Z", "original_filename": "scan.pdf", "deleted_at": null, "owner": 1},
             "__exported_file_name__": "originals/2023-05-01 Q3.pdf", "__exported_archive_name__": "archive/x.pdf"}
            """#
        guard case .document(let document) = try PaperlessRecord.read(Array(json.utf8)) else {
            Issue.record("no document")
            return
        }
        #expect(document.id == 7 && document.title == "Q3 é" && document.tags == [1, 4] && document.hasText)
        #expect(document.correspondent == 3 && document.documentType == 2 && document.storagePath == nil)
        #expect(!document.isDeleted && document.root == nil)
        #expect(document.source(archived: false).path == "originals/2023-05-01 Q3.pdf")
        #expect(document.source(archived: true).path == "archive/x.pdf")
        #expect(document.createdAt == Timestamp(internet: "2023-05-01T12:00:00Z"))
    }

    @Test(arguments: [
        (#"{"model":"documents.tag","pk":1,"fields":{"name":"Inbox","is_inbox_tag":true}}"#, "tag 1 Inbox true"),
        (#"{"model":"documents.correspondent","pk":2,"fields":{"name":"ACME"}}"#, "correspondent 2 ACME false"),
        (#"{"model":"documents.documenttype","pk":3,"fields":{"name":"Bill"}}"#, "documenttype 3 Bill false"),
        (#"{"model":"documents.storagepath","pk":4,"fields":{"name":"P","path":"x"}}"#, "storagepath 4 P false"),
        (#"{"model":"documents.note","pk":1,"fields":{}}"#, "note"), (#"{"model":"documents.comment","pk":1}"#, "note"),
        (#"{"model":"documents.customfieldinstance","pk":1}"#, "value"), (#"{"model":"auth.user","pk":"x"}"#, "other"),
    ])
    func readsOthers(_ json: String, _ expected: String) throws {
        let words =
            switch try PaperlessRecord.read(Array(json.utf8)) {
            case .label(let label, let id, let name, let isInbox): "\(label.rawValue) \(id) \(name) \(isInbox)"
            case .document: "document"
            case .note: "note"
            case .fieldValue: "value"
            case .other: "other"
            }
        #expect(words == expected)
    }

    @Test(arguments: [
        ("", "not JSON"), ("{", "not JSON"), ("7", "no record"), ("{}", "model is missing"),
        (#"{"model":"documents.document","pk":1}"#, "fields is missing"),
        (#"{"model":"documents.document","pk":"x","fields":{}}"#, "pk is of the wrong type"),
        (#"{"model":"documents.document","pk":1,"fields":{"title":5}}"#, "fields.title is of the wrong type"),
        (#"{"model":"documents.document","pk":1,"fields":{"tags":"x"}}"#, "fields.tags is of the wrong type"),
        (#"{"model":"documents.document","pk":1e40,"fields":{}}"#, ""),
    ])
    func refuses(_ json: String, _ words: String) throws {
        let error = try #require(throws: PaperlessRecord.Malformed.self) { try PaperlessRecord.read(Array(json.utf8)) }
        #expect(words.isEmpty || error.problem.contains(words), "\(error)")
    }
}
