internal import FundHTTP
internal import HTTPTypes
internal import FundCore

/// The resource of a path.
struct DAVResource: Sendable {
    /// The path of a user; the owner of what it leads to is part of the key.
    struct Key: Hashable {
        var user: User.ID
        var names: [String]

        /// Keys that are kept; with all their items they take 60 MB at most.
        static let maxKept = 10_000
        private static let (maxNames, maxBytes) = (16, 1024)

        /// Whether it is short enough to be kept.
        var isShort: Bool { names.count <= Self.maxNames && names.reduce(0) { $0 + $1.utf8.count } <= Self.maxBytes }
    }

    var path: DAVPath
    /// The items along the path, as far as they exist.
    var items: [LibraryItem]

    var isThere: Bool { items.count == path.names.count }

    /// Nil for the root, and when it does not exist.
    var item: LibraryItem? { isThere ? items.last : nil }

    /// True for the root as well.
    var isCollection: Bool { isThere && items.last?.isCollection ?? true }

    var file: FileEntry? { item?.file }

    /// The fund that it is or lies in, as far as that exists; nil for the root.
    var fund: Fund.ID? { items.first?.fund }

    /// From the root, which is nil, to the last one that is there.
    var chain: [LibraryItemID?] { [nil] + items.map(\.itemID) }

    /// With a slash at the end for a collection.
    var href: String { path.href(isCollection: isCollection) }

    /// Address of the item `depth` names below the root.
    func href(atDepth depth: Int) -> String {
        DAVPath(names: Array(path.names.prefix(depth)))
            .href(isCollection: depth != items.count || items.last?.isCollection ?? true)
    }

    /// Strong (RFC 9110 §8.8.3): the SHA-256 of the content. Collections have none.
    var entityTag: String? { file?.digest.entityTag }

    /// The place of the resource, existing or not. Throws 409 without a folder to hold it, 403 at the top (only funds).
    func place() throws -> LibraryPlace {
        guard path.names.count > 1 else {
            throw DAVError(.forbidden, "only funds lie at the top: files go into a fund")
        }
        guard items.count >= path.names.count - 1, let place = items[path.names.count - 2].inside else {
            throw DAVError(.conflict, "the folder that should hold it is not there")
        }
        return place
    }
}

extension LibraryItem {
    /// The name in paths. The command line allows a fund `Q1/Q2`; with a fullwidth slash it is found, since names of
    /// funds are compared in their compatibility form (NFKC).
    var name: String {
        switch self {
        case .fund(let fund) where fund.name == "." || fund.name == "..":
            fund.name.replacing(scalar: ".", with: "\u{FF0E}")
        case .fund(let fund): fund.name.replacing(scalar: "/", with: "\u{FF0F}")
        case .folder(let folder): folder.name
        case .file(let file): file.name
        }
    }

    var file: FileEntry? {
        if case .file(let file) = self { file } else { nil }
    }

    /// Nil for what lies in a fund.
    var fund: Fund.ID? {
        if case .fund(let fund) = self { fund.id } else { nil }
    }

    var isCollection: Bool {
        if case .file = self { false } else { true }
    }

    /// The place of its members; nil for a file.
    var inside: LibraryPlace? {
        switch self {
        case .fund(let fund): LibraryPlace(fund: fund.id)
        case .folder(let folder): LibraryPlace(fund: folder.fund, folder: folder.id)
        case .file: nil
        }
    }
}

extension WebDAV {
    func resource(at path: DAVPath, of user: User) async throws -> DAVResource {
        guard !path.names.isEmpty else { return DAVResource(path: path, items: []) }
        let key = DAVResource.Key(user: user.id, names: path.names)
        // A path that leads nowhere may have any name, and clients ask for it once; but a change asks several times for
        // the path of what it makes.
        let items = try await paths.value(of: key, keptIf: { key.isShort && $0.count >= max(1, key.names.count - 1) }) {
            try await library.items(along: path.names, of: user.id)
        }
        return DAVResource(path: path, items: items)
    }

    /// Throws 404 when it does not exist.
    func existing(_ call: DAVCall) async throws -> DAVResource {
        let resource = try await resource(at: call.path, of: call.user)
        guard resource.isThere else { throw RequestError.notFound }
        return resource
    }
}
