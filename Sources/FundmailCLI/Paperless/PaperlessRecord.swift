import Foundation

/// One record of a manifest of Paperless-ngx, in the format of Django's serializers: `model`, `pk`, `fields`, and at a
/// document where its files lie.
enum PaperlessRecord: Decodable {
    /// A label and its name. New documents bear an inbox tag until a person has looked at them.
    case label(PaperlessDocument.Label, id: Int64, name: String, isInbox: Bool)
    case document(PaperlessDocument)
    case note
    /// A value of a custom field of a document.
    case fieldValue
    /// Users, rules, views and the like.
    case other

    /// A record that cannot be read, and why.
    struct Malformed: Error {
        var problem: String
    }

    /// Throws `Malformed`.
    static func read(_ json: [UInt8]) throws(Malformed) -> PaperlessRecord {
        do { return try JSONDecoder().decode(PaperlessRecord.self, from: Data(json)) } catch {
            throw Malformed(problem: problem(error))
        }
    }

    private static func problem(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is not JSON" }
        func name(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        return switch error {
        case .keyNotFound(let key, let context): "\(name(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context) where context.codingPath.isEmpty: "it is no record"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(name(context.codingPath)) is of the wrong type"
        default: "it is not JSON"
        }
    }

    fileprivate enum Key: String, CodingKey {
        case model, pk, fields
        case file = "__exported_file_name__"
        case archive = "__exported_archive_name__"
    }

    fileprivate enum Field: String, CodingKey {
        case name, title, created, tags, correspondent, checksum, content
        case isInbox = "is_inbox_tag"
        case documentType = "document_type"
        case storagePath = "storage_path"
        case archiveChecksum = "archive_checksum"
        case originalFileName = "original_filename"
        case deletedAt = "deleted_at"
        case root = "root_document"
    }

    init(from decoder: any Decoder) throws {
        let record = try decoder.container(keyedBy: Key.self)
        let model = try record.decode(String.self, forKey: .model)
        let prefix = "documents."
        switch model {
        case "documents.document": self = .document(try PaperlessDocument(record))
        // Notes were called comments in early versions.
        case "documents.note", "documents.comment": self = .note
        case "documents.customfieldinstance": self = .fieldValue
        default:
            guard model.hasPrefix(prefix),
                let label = PaperlessDocument.Label(rawValue: String(model.dropFirst(prefix.count)))
            else {
                self = .other
                return
            }
            let fields = try record.nestedContainer(keyedBy: Field.self, forKey: .fields)
            self = .label(
                label, id: try record.decode(Int64.self, forKey: .pk),
                name: try fields.decode(String.self, forKey: .name),
                isInbox: try fields.decodeIfPresent(Bool.self, forKey: .isInbox) ?? false)
        }
    }
}

extension PaperlessDocument {
    fileprivate init(_ record: KeyedDecodingContainer<PaperlessRecord.Key>) throws {
        let fields = try record.nestedContainer(keyedBy: PaperlessRecord.Field.self, forKey: .fields)
        self.init(
            id: try record.decode(Int64.self, forKey: .pk),
            title: try fields.decodeIfPresent(String.self, forKey: .title) ?? "",
            created: try fields.decodeIfPresent(String.self, forKey: .created),
            tags: try fields.decodeIfPresent([Int64].self, forKey: .tags) ?? [],
            correspondent: try fields.decodeIfPresent(Int64.self, forKey: .correspondent),
            documentType: try fields.decodeIfPresent(Int64.self, forKey: .documentType),
            storagePath: try fields.decodeIfPresent(Int64.self, forKey: .storagePath),
            checksum: try fields.decodeIfPresent(String.self, forKey: .checksum),
            archiveChecksum: try fields.decodeIfPresent(String.self, forKey: .archiveChecksum),
            originalFileName: try fields.decodeIfPresent(String.self, forKey: .originalFileName),
            file: try record.decodeIfPresent(String.self, forKey: .file),
            archive: try record.decodeIfPresent(String.self, forKey: .archive),
            hasText: try fields.decodeIfPresent(String.self, forKey: .content)?.isEmpty == false,
            isDeleted: try fields.decodeIfPresent(String.self, forKey: .deletedAt) != nil,
            root: try fields.decodeIfPresent(Int64.self, forKey: .root))
    }
}
