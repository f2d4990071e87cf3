internal import HTTPTypes
internal import FundCore

extension WebDAV {
    /// What is kept with items, and what is worked out for those who ask for it by name. Only what every reader of XML takes:
    /// one element that is none would spoil the whole answer.
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
}

extension MarkupReader {
    /// Whether an element that is kept can be written out. Those of ASCII were made by `MarkupElement.standalone`, which
    /// leaves nothing to look for; in others names may have been taken that are taken no more.
    fileprivate static func reads(_ markup: String) -> Bool {
        markup.utf8.allSatisfy { $0 < 0x80 } || (try? read(Array(markup.utf8))) != nil
    }
}
