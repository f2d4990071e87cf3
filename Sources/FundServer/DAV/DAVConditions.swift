internal import FundHTTP
internal import HTTPTypes
internal import FundCore

/// The conditions of a request: `If` (RFC 4918 §10.4), `If-Match`, `If-None-Match` and `If-Unmodified-Since` (RFC 9110
/// §13.1). Lock tokens and other resources are looked up when it is made; conditions on the item itself can be
/// evaluated again for each state of it.
struct DAVConditions: Sendable {
    enum Check: Sendable {
        case known(Bool)
        /// A tag of the item itself, with its quotes.
        case entityTag(String, isNegated: Bool)
    }

    let fields: HTTPFields
    /// The lists of the `If` field; all checks of one list must hold. Nil without the field.
    let lists: [[Check]]?

    /// - Parameter item: nil for the root, and when it does not exist.
    func hold(for item: LibraryItem?, isThere: Bool) -> Bool {
        let file = item?.file
        let precondition = Precondition(
            fields, entityTag: file?.digest.entityTag, modifiedAt: file?.modifiedAt, isThere: isThere)
        guard precondition == .proceed else { return false }
        guard let lists else { return true }
        return lists.contains { list in
            list.allSatisfy { check in
                switch check {
                case .known(let isTrue): isTrue
                case .entityTag(let tag, let isNegated): (tag == file?.digest.entityTag) != isNegated
                }
            }
        }
    }

    /// For the transaction that changes the resource: the conditions still hold, and the path still leads to it.
    /// Another interface may have changed, moved or renamed the item since it was looked up.
    func condition(on resource: DAVResource) -> ItemCondition {
        { state in
            guard case .item(let item) = state, let seen = resource.item, item.isWhere(seen) else { return false }
            return hold(for: item, isThere: true)
        }
    }
}

extension LibraryItem {
    /// Whether both have the same name in the same place.
    fileprivate func isWhere(_ other: LibraryItem) -> Bool {
        switch (self, other) {
        case (.fund(let one), .fund(let two)): one.name == two.name
        case (.folder(let one), .folder(let two)):
            one.fund == two.fund && one.parent == two.parent && one.name == two.name
        case (.file(let one), .file(let two)):
            one.fund == two.fund && one.folder == two.folder && one.name == two.name
        default: false
        }
    }
}

extension WebDAV {
    /// Throws 412 when the conditions of the request do not hold. Returns them for the transaction of the change.
    @discardableResult
    func checkConditions(_ resource: DAVResource, _ call: DAVCall) async throws -> DAVConditions {
        var lists: [[DAVConditions.Check]]?
        if let field = call.conditions {
            var found: [[DAVConditions.Check]] = []
            for list in field.lists { found.append(try await checks(list, resource, call)) }
            lists = found
        }
        let conditions = DAVConditions(fields: call.fields, lists: lists)
        guard conditions.hold(for: resource.item, isThere: resource.isThere) else { throw Self.conditionFailed }
        return conditions
    }

    static let conditionFailed = DAVError(.preconditionFailed, "it is not in the state that the request asks for")

    /// Runs a change under `DAVConditions.condition`. Throws 412 when the conditions of the request do not hold any
    /// more, 409 when it has none and the item was moved.
    func guarded<Value: Sendable>(_ call: DAVCall, _ change: () async throws -> Value) async throws -> Value {
        do {
            return try await change()
        } catch let failure as StoreError where failure.code == .preconditionFailed {
            guard !call.isConditional else { throw Self.conditionFailed }
            throw DAVError(.conflict, "it was moved in between")
        }
    }

    private func checks(
        _ list: IfHeader.List, _ resource: DAVResource, _ call: DAVCall
    ) async throws -> [DAVConditions.Check] {
        var subject = resource
        if let reference = list.resource {
            // A resource of another server has no state here.
            guard let path = try? call.references.path(of: reference) else { return [.known(false)] }
            if path.names != resource.path.names { subject = try await self.resource(at: path, of: call.user) }
        }
        // A resource that does not exist is locked by the deep locks above it, so that it can be created there.
        let held = try await heldLocks(on: subject.chain, isMissing: !subject.isThere, for: call.user.id)
        let tokens = Set(held.map(\.lock.token))
        let isItself = subject.path.names == resource.path.names
        return list.conditions.map { condition in
            switch condition.check {
            case .token(let token): .known(tokens.contains(token) != condition.isNegated)
            case .entityTag(let tag) where isItself: .entityTag(tag, isNegated: condition.isNegated)
            case .entityTag(let tag): .known((tag == subject.entityTag) != condition.isNegated)
            }
        }
    }
}
