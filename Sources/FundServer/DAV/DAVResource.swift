internal import HTTPTypes
internal import FundCore

/// What a path leads to.
struct DAVResource: Sendable {
    var path: DAVPath
    /// What stands along the path, as far as it is there.
    var items: [LibraryItem]

    var isThere: Bool { items.count == path.names.count }

    /// Nil for the root, and when it is not there.
    var item: LibraryItem? { isThere ? items.last : nil }

    /// The root is one, too.
    var isCollection: Bool {
        guard isThere else { return false }
        if case .file = items.last { return false }
        return true
    }

    var file: FileEntry? {
        if case .file(let file) = item { file } else { nil }
    }

    /// From the root, which is nil, to the last one that is there.
    var chain: [LibraryItemID?] { [nil] + items.map(\.itemID) }

    /// From the root to what the path names, with a stand-in for what is not there, which has no lock of its own.
    var wholeChain: [LibraryItemID?] { isThere ? chain : chain + [.email(-1)] }

    /// As the path names it, with a slash for a collection.
    var href: String { path.href(isCollection: isCollection) }

    /// Of what stands `depth` names below the root.
    func href(atDepth depth: Int) -> String {
        let isFile = if depth == items.count, case .file = items.last { true } else { false }
        return DAVPath(names: Array(path.names.prefix(depth))).href(isCollection: !isFile)
    }

    /// Strong (RFC 9110 §8.8.3): the bytes' SHA-256. Collections have none.
    var entityTag: String? { file?.entityTag }

    /// Where what this path names lies or would lie. Throws 409 when its parent is not there or no folder, 403 at the top,
    /// where there are only funds.
    func place() throws -> LibraryPlace {
        guard path.names.count > 1 else {
            throw DAVFailure(.forbidden, "only funds lie at the top: files go into a fund")
        }
        guard items.count >= path.names.count - 1 else { throw Self.noParent }
        switch items[path.names.count - 2] {
        case .fund(let fund): return LibraryPlace(fund: fund.id)
        case .folder(let folder): return LibraryPlace(fund: folder.fund, folder: folder.id)
        case .file: throw Self.noParent
        }
    }

    /// The collection's own inside; nil for the root and for files.
    var inside: LibraryPlace? {
        switch item {
        case .fund(let fund): LibraryPlace(fund: fund.id)
        case .folder(let folder): LibraryPlace(fund: folder.fund, folder: folder.id)
        default: nil
        }
    }

    static let noParent = DAVFailure(.conflict, "the folder that should hold it is not there")
}

extension FileEntry {
    var entityTag: String { "\"\(digest.hex)\"" }
}

extension LibraryItem {
    /// As a path can hold it. The command line lets a fund be called `Q1/Q2`; with a wide slash it is found all the same, since
    /// names of funds are compared in their compatibility form (NFKC).
    var name: String {
        switch self {
        case .fund(let fund) where fund.name == "." || fund.name == "..":
            fund.name.replacing(scalar: ".", with: "\u{FF0E}")
        case .fund(let fund): fund.name.replacing(scalar: "/", with: "\u{FF0F}")
        case .folder(let folder): folder.name
        case .file(let file): file.name
        }
    }
}

extension WebDAV {
    func resource(at path: DAVPath, of user: User) async throws -> DAVResource {
        guard !path.names.isEmpty else { return DAVResource(path: path, items: []) }
        return DAVResource(path: path, items: try await library.items(along: path.names, of: user.id))
    }

    /// Throws 404 when it is not there.
    func existing(_ call: DAVCall) async throws -> DAVResource {
        let resource = try await resource(at: call.path, of: call.user)
        guard resource.isThere else { throw RequestFailure.notFound }
        return resource
    }
}
