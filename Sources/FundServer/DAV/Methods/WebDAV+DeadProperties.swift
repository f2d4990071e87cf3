internal import HTTPTypes
internal import FundCore

extension WebDAV {
    /// The stored properties of items, and the computed ones that are asked for by name. Values that are not valid XML
    /// are left out: one of them would make the whole response unreadable.
    func deadProperties(
        of items: [LibraryItem], having: Set<LibraryItemID>? = nil, _ plan: PropertyPlan, _ user: User
    ) async throws -> [LibraryItemID: [String: String]] {
        let ids = items.map(\.itemID).filter { having?.contains($0) ?? true }
        var found = try await library.properties(of: ids, of: user.id).mapValues { properties in
            properties.filter { MarkupReader.reads($0.value) }
        }
        for case .file(let file) in items {
            let time = plan.needsWindowsTimes ? WindowsProperty.markup(file.modifiedAt) : nil
            if time != nil || found[.file(file.id)] != nil {
                found[.file(file.id), default: [:]][WindowsProperty.modifiedAt.key] = time
            }
        }
        if plan.needsChecksums { try await addChecksums(of: items, to: &found) }
        return found
    }

    /// Adds the checksums of files to their dead properties.
    private func addChecksums(of items: [LibraryItem], to properties: inout [LibraryItemID: [String: String]])
        async throws
    {
        let files = items.compactMap { item in if case .file(let file) = item { file } else { nil } }
        let known = try await checksums.checksums(of: files)
        for file in files {
            guard let checksums = known[file.digest] else { continue }
            properties[.file(file.id), default: [:]][ChecksumProperty.name.key] = ChecksumProperty.markup(checksums)
        }
    }
}

extension MarkupReader {
    /// Whether a stored element is valid. `MarkupElement.standalone` wrote those in ASCII, which are valid; others may
    /// hold names that were accepted formerly.
    fileprivate static func reads(_ markup: String) -> Bool {
        markup.utf8.allSatisfy { $0 < 0x80 } || (try? read(Array(markup.utf8))) != nil
    }
}
