internal import FundHTTP
internal import FundCore

/// The files that are offered for a letter: the latest, or those that some words find.
struct LetterPicker {
    private static let maxOffered = 12

    /// Nil where it was not opened.
    let words: String?
    let items: [LibraryItemID]
    let fund: Fund.ID?
    let call: PageCall

    /// For the template `letterpicker`.
    func model() async throws -> PageModel {
        let asked = (words ?? "").trimmed
        let files = try await (asked.isEmpty ? latest() : found(asked))
        let badges = await call.badges(of: files.map { PreviewedFile($0.file) })
        return [
            "isPicking": words != nil, "find": words ?? "", "isFound": !asked.isEmpty,
            "hasOffers": !files.isEmpty,
            "offers": files.map { offered -> PageModel in
                let name = FileNameParts(shown: offered.file.name)
                var row: PageModel = [
                    "key": ItemSelection.key(.file(offered.file.id)), "name": offered.file.name, "stem": name.stem,
                    "ending": name.suffix, "size": call.formats.size(offered.file.size),
                    "fundName": offered.fundName, "hue": FundHue.name(offered.file.fund),
                ]
                row.merge(badges.model(offered.file))
                return row
            },
        ]
    }

    private typealias Offered = (file: FileEntry, fundName: String)

    /// The files that came last into the fund of the letter, or into any fund.
    private func latest() async throws -> [Offered] {
        var query = ArrivalQuery(PageQuery(limit: Self.maxOffered + items.count))
        query.fund = fund
        let arrivals = try await call.library.arrivals(query, of: try call.userID).items
        return first(arrivals.flatMap { arrival in arrival.files.map { ($0, arrival.fundName) } })
    }

    private func found(_ words: String) async throws -> [Offered] {
        var query = SearchQuery(text: words)
        (query.kind, query.limit) = (.file, Self.maxOffered + items.count)
        var files: [Offered] = []
        for hit in try await call.library.search(query, of: try call.userID).items {
            guard case .file(let id) = hit.item else { continue }
            do { files.append((try await call.library.file(id, of: try call.userID), hit.fundName)) } catch let failure
                as StoreError where failure.code == .notFound
            {
                // Deleted a moment ago.
            }
        }
        return first(files)
    }

    /// The files that the letter does not have yet, each once: two fields of a form must not have one name.
    private func first(_ files: [Offered]) -> [Offered] {
        var known = Set(items)
        return Array(files.filter { known.insert(.file($0.file.id)).inserted }.prefix(Self.maxOffered))
    }
}
