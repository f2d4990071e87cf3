internal import HTTPTypes

extension Session {
    /// Longest page that servers give.
    public static let maxPageSize = 500

    private struct ItemList: Decodable {
        var items: [Item]
        var next: String?
    }

    private struct NewFolder: Encodable {
        var name: String
        var parent: FolderID?
    }

    /// A page of what lies in a place: folders first, each by name.
    /// - Parameters:
    ///   - cursor: `next` of the page before; nil for the first page.
    ///   - limit: 1 to `maxPageSize`.
    public func items(
        of place: Place, after cursor: PageCursor?, limit: Int = Session.maxPageSize
    ) async throws(ClientError) -> Page<Item> {
        let path =
            switch place {
            case .fund(let fund): "/api/v1/funds/\(fund)/items"
            case .folder(let folder): "/api/v1/folders/\(folder)/items"
            }
        let list = try await value(ItemList.self, .get(path, [("cursor", cursor?.text), ("limit", "\(limit)")]))
        for case .folder(let folder) in list.items { placeFunds.learn(folder) }
        return Page(list.items, next: list.next.map(PageCursor.init))
    }

    /// All that lies in a place: folders first, each by name.
    public func items(of place: Place) async throws(ClientError) -> [Item] {
        var items: [Item] = []
        var cursor: PageCursor?
        repeat {
            let page = try await self.items(of: place, after: cursor)
            items += page.elements
            cursor = page.next
        } while cursor != nil
        return items
    }

    /// One folder.
    public func folder(_ id: FolderID) async throws(ClientError) -> Folder { try await taggedFolder(id).value }

    /// With the tag of its state: its name, its place, and whether it is deleted.
    public func taggedFolder(_ id: FolderID) async throws(ClientError) -> Tagged<Folder> {
        let folder: Tagged<Folder> = try await tagged(.get("/api/v1/folders/\(id)"))
        placeFunds.learn(folder.value)
        return folder
    }

    /// One file, without its bytes.
    public func file(_ id: FileID) async throws(ClientError) -> File { try await taggedFile(id).value }

    /// With the tag of its state: its name, its place, its content, and whether it is deleted.
    public func taggedFile(_ id: FileID) async throws(ClientError) -> Tagged<File> {
        try await tagged(.get("/api/v1/files/\(id)"))
    }

    /// A new folder. Throws `conflict` when the name is taken, unless `ifTaken` is `number`: then `Reports` becomes
    /// `Reports(1)`. With `replace` a folder of that name, which may differ in letter case, is given as it is.
    public func makeFolder(
        named name: String, in place: Place, ifTaken: IfTaken = .refuse
    ) async throws(ClientError) -> Folder {
        var attempt = 0
        while true {
            do {
                return try await makeFolder(attempt == 0 ? name : "\(name)(\(attempt))", in: place)
            } catch {
                guard error.code == .conflict else { throw error }
                switch ifTaken {
                case .refuse: throw error
                case .number: attempt += 1
                case .replace:
                    let folders = try await items(of: place).compactMap { item in
                        if case .folder(let folder) = item { folder } else { nil }
                    }
                    let isAlike = { (folder: Folder) in SyncName.key(folder.name) == SyncName.key(name) }
                    guard let folder = folders.first(where: { $0.name == name }) ?? folders.first(where: isAlike)
                    else { throw error }
                    return folder
                }
            }
        }
    }

    private func makeFolder(_ name: String, in place: Place) async throws(ClientError) -> Folder {
        let (fund, parent) = try await fundAndFolder(place)
        let folder = try await value(
            Folder.self, .sending(.post, "/api/v1/funds/\(fund)/folders", NewFolder(name: name, parent: parent)))
        placeFunds.learn(folder)
        return folder
    }

    /// For calls that name both.
    func fundAndFolder(_ place: Place) async throws(ClientError) -> (fund: FundID, folder: FolderID?) {
        switch place {
        case .fund(let fund): return (fund, nil)
        case .folder(let folder):
            if let fund = placeFunds[folder] { return (fund, folder) }
            return (try await self.folder(folder).fund, folder)
        }
    }
}
