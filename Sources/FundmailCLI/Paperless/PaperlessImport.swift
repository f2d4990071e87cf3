import FundCore
import Terminal

/// The import of an export of Paperless-ngx. Documents whose names may be numbered beside each other are filed one
/// after the other, in the order of the manifests; others at the same time.
struct PaperlessImport {
    /// Limits of a document that is held; Paperless has titles of 128 characters.
    private static let (maxTitleBytes, maxTags) = (1024, 1000)

    let export: PaperlessExport
    let shelf: ImportShelf
    let output: ImportOutput
    let window: ImportWindow
    let funds: PaperlessFunds
    /// Whether archived PDFs are taken in place of originals.
    let isArchived: Bool
    let shouldStop: @Sendable () -> Bool

    /// Funds by the key of their name, or why there is none.
    private var places: [String: Result<ImportShelf.Place, ImportRefusal>] = [:]
    /// Documents that have later versions, by id.
    private var roots: [Int64: PaperlessDocument] = [:]
    private var labels = PaperlessLabels()
    private var deleted = 0
    private let left = Left()

    /// Counts of documents that came without something.
    private final class Left {
        var (undated, unproven, otherLabels) = (0, 0, 0)
    }

    init(
        _ export: PaperlessExport, _ shelf: ImportShelf, _ output: ImportOutput, funds: PaperlessFunds,
        isArchived: Bool, shouldStop: @escaping @Sendable () -> Bool
    ) {
        (self.export, self.shelf, self.output, self.funds) = (export, shelf, output, funds)
        (self.isArchived, self.shouldStop) = (isArchived, shouldStop)
        window = ImportWindow(output.take)
    }

    /// Reads all manifests before the first document is filed. Throws `PaperlessExport.Malformed` for those that are no
    /// lists, `ImportRefusal` when the main one cannot be read, and what ends an import.
    mutating func run() async throws {
        var labels = PaperlessLabels()
        try await export.records(shouldStop: shouldStop) { entry in
            if case .success(let record) = entry.record { labels.add(record) }
        }
        self.labels = labels
        guard !labels.isFull else { throw ImportRefusal("it has more labels, or longer ones, than can be read") }
        guard labels.documents > 0 else { throw ImportRefusal("no document stands in its manifest") }
        if !labels.roots.isEmpty { roots = try await roots(labels) }
        try await window.run {
            try await export.records(shouldStop: shouldStop) { entry in
                switch entry.record {
                case .success(.document(let document)): try await take(document)
                case .success: break
                case .failure(let malformed):
                    let path = "\(entry.manifest), record \(entry.number)"
                    try await window.add(.init(path: path, outcome: .refused, reason: malformed.problem))
                }
            }
        }
    }

    /// Documents that have later versions, by id: those may come before them.
    private func roots(_ labels: PaperlessLabels) async throws -> [Int64: PaperlessDocument] {
        var roots: [Int64: PaperlessDocument] = [:]
        try await export.records(shouldStop: shouldStop) { entry in
            if case .success(.document(let document)) = entry.record, labels.roots.contains(document.id),
                document.title.utf8.count <= Self.maxTitleBytes, document.tags.count <= Self.maxTags
            {
                roots[document.id] = document
            }
        }
        return roots
    }

    /// Sentences about what is not kept.
    var notes: [String] {
        func sentence(_ count: Int, _ one: String, _ many: String) -> String? {
            count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
        }
        return [
            sentence(labels.notes, "note was not kept.", "notes were not kept."),
            sentence(
                labels.fieldValues, "value of a custom field was not kept.", "values of custom fields were not kept."),
            sentence(
                labels.texts, "document has text that Paperless read; the search here reads the file itself.",
                "documents have text that Paperless read; the search here reads the files themselves."),
            sentence(
                left.otherLabels, "document has further labels, which were not kept.",
                "documents have further labels, which were not kept."),
            sentence(
                left.undated, "document has no date that can be kept; it has the time of its file.",
                "documents have no date that can be kept; they have the times of their files."),
            sentence(left.unproven, "document has no checksum to compare.", "documents have no checksum to compare."),
            sentence(
                deleted, "document lay in the trash of Paperless and was left there.",
                "documents lay in the trash of Paperless and were left there."),
        ].compactMap(\.self)
    }

    private mutating func take(_ document: PaperlessDocument) async throws {
        guard !document.isDeleted else { return deleted += 1 }
        // A later version has title and labels of the first one.
        var labelled = document
        if let root = document.root.flatMap({ roots[$0] }) {
            labelled = root
            if !document.title.trimmed.isEmpty { labelled.title = document.title }
        }
        let source = document.source(archived: isArchived)
        let path = source.path ?? "document \(document.id)"
        var fund: String?
        do {
            guard source.path != nil else { throw ImportRefusal("the export has no file of it") }
            let place = try await place(of: labelled)
            fund = place.fund
            let file = try export.file(at: path)
            let (time, name) = (labelled.createdAt ?? document.createdAt, labelled.fileName(of: path))
            let checksum = source.checksum.flatMap { FileChecksum(hex: $0) }
            let isLabelledFurther = hasOtherLabels(labelled)
            try await window.add(ImportShelf.numberedKey(of: name, in: place)) { [shelf] in
                do {
                    let outcome = try await shelf.add(file, called: name, in: place, at: time, proved: checksum)
                    return .init(path: path, fund: place.fund, outcome: outcome, bytes: file.size)
                } catch let refusal as ImportRefusal {
                    return .init(path: path, fund: place.fund, outcome: .refused, reason: refusal.reason)
                }
            } then: { [left] line in
                guard line.outcome != .refused else { return }
                if time == nil { left.undated += 1 }
                if checksum == nil { left.unproven += 1 }
                if isLabelledFurther { left.otherLabels += 1 }
            }
        } catch let refusal as ImportRefusal {
            try await window.add(.init(path: path, fund: fund, outcome: .refused, reason: refusal.reason))
        }
    }

    /// Whether a document has labels beside the one that names its fund.
    private func hasOtherLabels(_ document: PaperlessDocument) -> Bool {
        let all = PaperlessDocument.Label.allCases.map { labels.names($0, of: document).count }.reduce(0, +)
        let naming = funds.label.map { labels.names($0, of: document).isEmpty ? 0 : 1 } ?? 0
        return all > naming
    }

    private mutating func place(of document: PaperlessDocument) async throws -> ImportShelf.Place {
        guard let name = funds.fund(of: document, labels) else {
            throw ImportRefusal("it has no label that names a fund; name one for such documents with --fund")
        }
        let key = FundName.key(name)
        if let known = places[key] { return try known.get() }
        do {
            let (place, isNew) = try await shelf.fund(named: name)
            if isNew { output.noteNewFund() }
            places[key] = .success(place)
            return place
        } catch let refusal as ImportRefusal {
            let refusal = ImportRefusal("no fund can be called \(name): \(refusal.reason); name another with --map")
            places[key] = .failure(refusal)
            throw refusal
        }
    }
}
