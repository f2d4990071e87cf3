internal import FundCore

/// The parts of a resource that a change affects, for checking locks (RFC 4918 §7).
struct TouchedParts: OptionSet {
    let rawValue: Int
    /// Its content and properties.
    static let itself = TouchedParts(rawValue: 1)
    /// Its existence: the list of members of its parent.
    static let membership = TouchedParts(rawValue: 2)
    /// Everything below it.
    static let below = TouchedParts(rawValue: 4)
    static let all: TouchedParts = [.itself, .membership, .below]
}

extension WebDAV {
    /// Throws 423 when the request lacks the token of a lock that holds; for locks below, 207, which names their
    /// resources.
    func checkLocks(on resource: DAVResource, _ parts: TouchedParts, _ call: DAVCall) async throws {
        let (user, tokens) = (call.user.id, call.submittedTokens)
        func require(_ held: [HeldLock]) throws {
            guard !held.yield(to: user, with: tokens) else { return }
            throw DAVError(
                .locked, "it is locked, and the request carries no token of the lock",
                .lockTokenSubmitted(held.map { resource.href(atDepth: $0.depth) }))
        }
        if parts.contains(.itself), resource.isThere {
            try require(await heldLocks(on: resource.chain, for: user))
        }
        if parts.contains(.membership), !resource.path.names.isEmpty {
            let parent = Array(resource.chain.prefix(resource.path.names.count))
            try require(await heldLocks(on: parent, for: user))
        }
        if parts.contains(.below), resource.isCollection {
            let missing = try await locksBelow(resource, of: call.user).filter {
                !$0.lock.yields(to: user, with: tokens)
            }
            if !missing.isEmpty { throw MultiStatusError(places: missing.map { ($0.href, .locked) }) }
        }
    }

    /// The locks below a collection, each with the href of its root; below the root only the person's own. Own locks of
    /// items that no longer exist are removed.
    func locksBelow(_ resource: DAVResource, of user: User) async throws -> [(lock: Lock, href: String)] {
        var found: [(lock: Lock, href: String)] = []
        let above = Set(resource.chain)
        let funds = Set([resource.fund].compactMap { $0 })
        for lock in try await heldLocks(in: funds, for: user.id) where !above.contains(lock.root) {
            guard let root = lock.root else { continue }
            do {
                let line = try await lineage(of: root, user)
                guard let start = resource.item.map({ item in line.firstIndex { $0.itemID == item.itemID } }) ?? -1
                else { continue }
                let path = line[(start + 1)...].reduce(resource.path) { $0.appending($1.name) }
                found.append((lock, path.href(isCollection: line.last?.isCollection ?? true)))
            } catch let failure as StoreError where failure.code == .notFound {
                // A lock of another member may have gone with its item where this person does not see it.
                if lock.creator == user.id { locks.remove([lock]) }
            }
        }
        return found
    }

    /// The items from the fund to this one.
    private func lineage(of id: LibraryItemID, _ user: User) async throws -> [LibraryItem] {
        var line: [LibraryItem] = []
        var next: LibraryItemID? = id
        while let id = next, line.count <= DAVPath.maxDepth {
            switch id {
            case .file(let id):
                let file = try await library.file(id, of: user.id)
                line.append(.file(file))
                next = file.folder.map { .folder($0) } ?? .fund(file.fund)
            case .folder(let id):
                let folder = try await library.folder(id, of: user.id)
                line.append(.folder(folder))
                next = folder.parent.map { .folder($0) } ?? .fund(folder.fund)
            case .fund(let id):
                line.append(.fund(try await library.fund(id, of: user.id)))
                next = nil
            case .email, .note: next = nil
            }
        }
        return line.reversed()
    }

    /// The locks that a deletion or move ends (RFC 4918 §9.6, §9.9): collected before it, removed after it.
    func locksOf(_ resource: DAVResource, of user: User) async throws -> Set<Lock> {
        let own = try await heldLocks(on: resource.chain, for: user.id).filter { $0.depth == resource.items.count }
        return Set(own.map(\.lock)).union(try await locksBelow(resource, of: user).map(\.lock))
    }
}
