import FundCore

/// The names of labels of an export, and what else has to be known before its first document.
struct PaperlessLabels {
    private struct Key: Hashable {
        var label: PaperlessDocument.Label
        var id: Int64
    }

    /// Limits of what is held: more is no archive of a person.
    private static let (maxCount, maxNameBytes) = (100_000, 1024)

    private var names: [Key: String] = [:]
    private var inboxTags: Set<Int64> = []
    /// Documents that have later versions.
    private(set) var roots: Set<Int64> = []
    private(set) var documents = 0
    private(set) var (notes, fieldValues, texts) = (0, 0, 0)
    /// Whether there are more labels than are held.
    private(set) var isFull = false

    mutating func add(_ record: PaperlessRecord) {
        switch record {
        case .label(let label, let id, let name, let isInbox):
            guard names.count < Self.maxCount, name.utf8.count <= Self.maxNameBytes else { return isFull = true }
            names[Key(label: label, id: id)] = name
            if isInbox, label == .tag { inboxTags.insert(id) }
        case .document(let document):
            documents += 1
            if document.hasText { texts += 1 }
            if let root = document.root, roots.count < Self.maxCount { roots.insert(root) }
        case .note: notes += 1
        case .fieldValue: fieldValues += 1
        case .other: break
        }
    }

    /// The names that a document bears, without inbox tags and without those that the manifest does not explain.
    func names(_ label: PaperlessDocument.Label, of document: PaperlessDocument) -> [String] {
        let ids =
            switch label {
            case .tag: document.tags.filter { !inboxTags.contains($0) }
            case .correspondent: [document.correspondent].compactMap(\.self)
            case .type: [document.documentType].compactMap(\.self)
            case .path: [document.storagePath].compactMap(\.self)
            }
        return ids.compactMap { names[Key(label: label, id: $0)] }
    }
}
