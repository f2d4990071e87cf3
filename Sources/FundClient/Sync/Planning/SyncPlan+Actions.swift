extension SyncPlan {
    /// Actions of the operations, for people.
    func actions(_ tree: LocalTree) -> [SyncAction] { operations.compactMap { action(for: $0, tree) } }

    /// Bytes to be loaded and sent.
    func bytes(_ tree: LocalTree) -> Int64 {
        operations.reduce(0) { $0 + ($1.isTransfer ? action(for: $1, tree)?.bytes ?? 0 : 0) }
    }

    private func action(for operation: SyncOperation, _ tree: LocalTree) -> SyncAction? {
        func action(_ verb: SyncAction.Verb, _ path: String, to newPath: String? = nil) -> SyncAction {
            SyncAction(verb: verb, path: path, newPath: newPath)
        }
        func below(_ parent: SyncEntity.ID?, _ name: String) -> String {
            (parent.map { newPath($0) + "/" } ?? "") + name
        }
        switch operation {
        case .record, .forget: return nil
        case .renameConflict(_, let node, let parent, _, let name):
            return action(.conflict, below(parent, tree.nodes[node].name), to: below(parent, name))
        case .renameLocal(let id, let name):
            return action(.conflict, localPath(id, tree), to: below(entities[id].localParent, name))
        case .makeLocal(let id): return action(.makeFolderHere, newPath(id))
        case .makeRemote(let id): return action(.makeFolderThere, newPath(id))
        case .moveLocal(let id, let parent, let name):
            return SyncName.isTemporary(name) ? nil : action(.moveHere, localPath(id, tree), to: below(parent, name))
        case .moveRemote(let id, let parent, let name):
            return SyncName.isTemporary(name) ? nil : action(.moveThere, remotePath(id), to: below(parent, name))
        case .deleteLocal(let id): return action(.deleteHere, localPath(id, tree))
        case .deleteRemote(let id, _): return action(.deleteThere, remotePath(id))
        case .download(let id):
            let entity = entities[id]
            var result = action(entity.local == nil ? .download : .updateHere, newPath(id))
            result.bytes = entity.remote?.size
            return result
        case .upload(let id):
            let entity = entities[id]
            var result = action(entity.remote == nil ? .upload : .updateThere, newPath(id))
            result.bytes = entity.local.map { tree.nodes[$0].fingerprint.size }
            return result
        }
    }

    private func path(_ id: SyncEntity.ID, _ step: (SyncEntity) -> (name: String, parent: SyncEntity.ID?)) -> String {
        var names: [String] = []
        var current: SyncEntity.ID? = id
        while let here = current, names.count <= entities.count {
            let (name, parent) = step(entities[here])
            names.append(name)
            current = parent
        }
        return names.reversed().joined(separator: "/")
    }

    private func newPath(_ id: SyncEntity.ID) -> String { path(id) { ($0.name, $0.parent) } }

    private func localPath(_ id: SyncEntity.ID, _ tree: LocalTree) -> String {
        path(id) { entity in
            guard let node = entity.local else { return (entity.name, entity.parent) }
            return (tree.nodes[node].name, entity.localParent)
        }
    }

    private func remotePath(_ id: SyncEntity.ID) -> String {
        path(id) { entity in
            guard let node = entity.remote else { return (entity.name, entity.parent) }
            return (node.name, entity.remoteParent)
        }
    }
}
