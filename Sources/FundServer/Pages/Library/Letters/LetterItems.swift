internal import FundCore

/// The items of a letter that is being written, by name and size.
struct LetterItems {
    /// For the template `letteritems`, in the order of the letter.
    private(set) var rows: [PageModel] = []
    /// Bytes of all items that are there.
    private(set) var size: Int64 = 0
    private(set) var goneCount = 0
    /// The fund in which the first one lies that is there.
    private(set) var fund: Fund.ID?
    private var names: [String] = []

    private let call: PageCall

    init(_ items: [LibraryItemID], _ call: PageCall) async throws {
        self.call = call
        for item in items {
            do { try await add(item) } catch let failure as StoreError where failure.code == .notFound {
                goneCount += 1
                rows.append(Self.row(item, name: "—", about: call.words("letter.gone"), isBad: true))
            }
        }
    }

    var isEmpty: Bool { rows.isEmpty }

    /// `3 items, 4.2 MB in all`; `1.2 MB` of a single one.
    var sum: String {
        let bytes = call.formats.size(size)
        return rows.count == 1 ? bytes : call.words("letter.sum", call.words.count("items", rows.count), bytes)
    }

    /// The subject of a letter with these items; empty without any.
    var subject: String {
        guard let first = names.first else { return "" }
        guard names.count > 1 else { return first }
        return call.words("letter.subject.many", first, "\(names.count - 1)", "\(names.count)")
    }

    private mutating func add(_ item: LibraryItemID) async throws {
        let user = try call.userID
        let name = try await call.name(of: item)
        do {
            guard let found = try await call.letters.letterItems([item], of: user).first else { return }
            var row = Self.row(item, name: name, about: call.formats.size(found.size))
            if let digest = found.digest, case .file(let id) = item {
                let file = PreviewedFile(digest: digest, size: found.size)
                let badges = await call.badges(of: [file])
                row.merge(badges.model(found.name, found.contentType, digest, at: "/library/files/\(id)"))
            }
            rows.append(row)
            size += found.size
            fund = fund ?? found.fund
        } catch let failure as StoreError where failure.isOne(of: .quarantined, .unscanned) {
            rows.append(Self.row(item, name: name, about: call.words.sentence(failure.requestError), isBad: true))
        }
        names.append(name)
    }

    private static func row(_ item: LibraryItemID, name: String, about: String, isBad: Bool = false) -> PageModel {
        let parts = item.kind == .file ? FileNameParts(shown: name) : nil
        // One that is gone, or kept from people, has no picture.
        let icon = item.kind.icon ?? (isBad ? "audit" : nil)
        return [
            "key": ItemSelection.key(item), "name": name, "stem": parts?.stem ?? name, "ending": parts?.suffix ?? "",
            "about": about, "isBad": isBad, "icon": icon.orAbsent, "isFile": icon == nil,
        ]
    }
}

extension PageCall {
    /// The name of an item in the words of the page. Throws 404.
    fileprivate func name(of item: LibraryItemID) async throws -> String {
        if case .note(let id) = item {
            return words.title(try await library.note(id, of: try userID).text.title, of: .note)
        }
        return try await placed(item)?.name ?? ""
    }
}
