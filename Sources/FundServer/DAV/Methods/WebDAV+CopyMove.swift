internal import Hummingbird
internal import FundCore

extension WebDAV {
    /// RFC 4918 §9.8, §9.9.
    func copyOrMove(_ call: DAVCall, isMove: Bool) async throws -> Response {
        let depth = try DAVDepth(call.fields)
        let overwrites = try DAVFields.overwrites(call.fields)
        let path = try call.destination()
        return try await changing(call, to: path) {
            let source = try await existing(call)
            // §9.8.3 and §9.9.2 are about collections; `Depth` has no meaning for a file.
            guard depth == .infinity || (depth == .zero && !isMove) || !source.isCollection else {
                throw DAVError(.badRequest, "Depth must be infinity\(isMove ? "" : " or 0")")
            }
            let target = try await resource(at: path, of: call.user)
            let transfer = Transfer(
                source: source, target: target, isMove: isMove, isShallow: depth == .zero, overwrites: overwrites)
            try transfer.check()
            if !target.isThere { try Self.checkNewName(target.path) }
            let conditions = try await checkConditions(source, call)
            if isMove { try await checkLocks(on: source, .all, call) }
            try await checkLocks(on: target, .all, call)
            var gone: Set<Lock> = isMove ? try await locksOf(source, of: call.user) : []
            // A resource that is only renamed, or gets new content, keeps its locks.
            if target.isCollection, !transfer.isRename { gone.formUnion(try await locksOf(target, of: call.user)) }
            let modifiedAt = source.file == nil ? nil : DAVFields.modifiedAt(call.fields)
            let fund = try await guarded(call) {
                try await run(transfer, if: conditions.condition(on: source), modifiedAt: modifiedAt, of: call.user)
            }
            locks.remove(gone)
            let isNew = !target.isThere || transfer.isRename
            var headers: HTTPFields =
                isNew ? [.location: target.path.href(isCollection: source.isCollection)] : [:]
            if modifiedAt != nil { headers[.ocModified] = "accepted" }
            return isNew ? .created(fund, headers: headers) : Response(status: .noContent, headers: headers)
        }
    }

    /// Gives the fund that was renamed or made; nil for other items.
    private func run(
        _ transfer: Transfer, if condition: @escaping ItemCondition, modifiedAt: Timestamp?, of user: User
    ) async throws -> FundEntry? {
        let name = transfer.target.path.names.last ?? ""
        let conflict: NameConflict = transfer.overwrites && !transfer.isRename ? .replace : .refuse
        switch transfer.source.item {
        case .fund(let fund) where transfer.isMove:
            return try await library.changeFund(fund.id, name: name, aliases: nil, if: condition, of: user.id)
        case .fund(let fund):
            return try await library.copyFund(fund.id, to: name, isShallow: transfer.isShallow, of: user.id)
        case let item?:
            let target = ItemTarget(.place(try transfer.target.place()), name: name, ifTaken: conflict)
            let result =
                if transfer.isMove {
                    try await library.move(item.itemID, to: target, if: condition, of: user.id)
                } else {
                    try await library.copy(
                        item.itemID, to: target, isShallow: transfer.isShallow, if: condition, of: user.id)
                }
            if let modifiedAt, case .file(let file) = result {
                try await library.setModifiedAt(modifiedAt, of: file.id, of: user.id)
            }
        case nil: break
        }
        return nil
    }
}

/// One COPY or MOVE, checked before anything is changed.
private struct Transfer {
    var source: DAVResource
    var target: DAVResource
    var isMove: Bool
    var isShallow: Bool
    var overwrites: Bool

    /// Whether source and target are the same item, under names that differ in case.
    var isRename: Bool {
        isMove && target.isThere && source.item?.itemID == target.item?.itemID && source.path.names != target.path.names
    }

    func check() throws {
        guard let item = source.item, !target.path.names.isEmpty else {
            throw DAVError(.forbidden, "the root stays where it is")
        }
        if target.isThere, item.itemID == target.item?.itemID, !isRename {
            throw DAVError(.forbidden, "source and destination are the same")
        }
        try checkNesting(item)
        let isFund = item.itemID.kind == .fund
        guard isFund == (target.path.names.count == 1) else {
            throw DAVError(.forbidden, "only funds lie at the top, and they lie nowhere else")
        }
        if !isFund { _ = try target.place() }
        guard target.isThere, !isRename else { return }
        guard overwrites else { throw DAVError(.preconditionFailed, "there is something already") }
        guard !isFund else { throw DAVError(.forbidden, "a fund cannot take the place of another: delete that first") }
    }

    private func checkNesting(_ item: LibraryItem) throws {
        let isIntoItself = target.chain.dropLast(target.isThere ? 1 : 0).contains(item.itemID)
        if source.isCollection, isIntoItself, isMove || !isShallow {
            throw DAVError(.forbidden, "a folder cannot go into itself")
        }
        if target.isThere, source.chain.dropLast().contains(target.item?.itemID) {
            throw DAVError(.forbidden, "a folder cannot be replaced by something in it")
        }
    }
}
