/// Plans the operations that make two trees equal, without doing any of them.
struct Planner {
    /// Action for a thing on both sides.
    enum Action: Hashable {
        /// The thing is to be on both sides.
        case keep
        case deleteLocal
        case deleteRemote
        /// Gone on both sides.
        case forget
        /// Nothing is done with it this time.
        case leave
    }

    let local: LocalTree
    let options: PlanOptions
    var plan = SyncPlan()
    var actions: [Action] = []
    /// Slot of each thing on each side; nil where it is not there.
    var localPlace: [PathSlot?] = []
    var remotePlace: [PathSlot?] = []
    var conflictRenames: [SyncOperation] = []
    /// New names of local things whose name another gets.
    var conflictNames: [SyncEntity.ID: String] = [:]
    /// The keys of names in use on either side, by the folder.
    var namesInUse: [SyncEntity.ID: Set<String>] = [:]

    /// A name in a folder.
    struct PathSlot: Hashable {
        /// `top` is the top.
        var parent: SyncEntity.ID
        var name: String

        static let top = -1

        init(_ parent: SyncEntity.ID?, _ name: String) {
            self.parent = parent ?? Self.top
            self.name = name
        }

        var parentEntity: SyncEntity.ID? { parent == Self.top ? nil : parent }

        /// Slot that is equal for all names that are one for the server.
        var keyed: PathSlot { PathSlot(parentEntity, SyncName.key(name)) }
    }

    static func plan(base: [BaseRow], local: LocalTree, remote: RemoteTree, options: PlanOptions) -> SyncPlan {
        var planner = Planner(base: base, local: local, remote: remote, options: options)
        planner.decide()
        planner.place()
        planner.breakCircles()
        planner.keepParents()
        planner.resolveNames()
        planner.holdDeletes()
        planner.schedule()
        return planner.plan
    }

    private init(base: [BaseRow], local: LocalTree, remote: RemoteTree, options: PlanOptions) {
        self.local = local
        self.options = options
        let matching = EntityMatching(base: base, local: local, remote: remote)
        plan.entities = matching.entities
        actions = Array(repeating: .leave, count: matching.entities.count)
        for entity in matching.entities {
            localPlace.append(
                entity.local.map { index in
                    let node = local.nodes[index]
                    return PathSlot(node.parent.flatMap { matching.entityOfNode[$0] }, node.name)
                })
            remotePlace.append(
                entity.remote.map { node in
                    PathSlot(node.parent.flatMap { matching.entityOfRemote[$0] }, node.name)
                })
        }
        for id in plan.entities.indices {
            plan.entities[id].localParent = localPlace[id]?.parentEntity
            plan.entities[id].remoteParent = remotePlace[id]?.parentEntity
        }
        for place in localPlace.compactMap(\.self) {
            namesInUse[place.parent, default: []].insert(SyncName.key(place.name))
        }
        for place in remotePlace.compactMap(\.self) {
            namesInUse[place.parent, default: []].insert(SyncName.key(place.name))
        }
        for item in local.unnamed { plan.notices.append(SyncNotice(path: item.path, reason: item.reason)) }
        basePlaces = Dictionary(
            matching.entities.indices.compactMap { index in matching.entities[index].base.map { ($0.id, index) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The thing of each row.
    private var basePlaces: [BaseRow.ID: SyncEntity.ID] = [:]

    // MARK: What is to be where

    private mutating func decide() {
        for id in plan.entities.indices { actions[id] = action(of: id) }
        waitWithDeletes()
    }

    /// A thing that is missing here may have been moved to where nothing can be read, or got a name that cannot be. A
    /// thing with such a name is not made anew either.
    private mutating func waitWithDeletes() {
        let isUnreadable = local.nodes.contains { if case .unreadable = $0.hold { true } else { false } }
        let unnamed = local.unnamed.reduce(into: Set<UInt64>()) { $0.formUnion($1.inodes) }
        let hidden = Set(
            plan.entities.indices.filter { id in
                guard plan.entities[id].local == nil, let base = plan.entities[id].base else { return false }
                return unnamed.contains(base.fingerprint.inode)
            })
        guard isUnreadable || !hidden.isEmpty else { return }
        plan.isStuck = true
        let missing = hidden.union(plan.entities.indices.filter { actions[$0] == .deleteRemote })
        for id in missing.sorted() {
            actions[id] = .leave
            if let above = remotePlace[id]?.parentEntity, missing.contains(above) { continue }
            let condition = isUnreadable ? "all can be read here" : "all that was in step has a name in UTF-8 again"
            notice(id, "what becomes of it on the server is decided when \(condition)")
        }
    }

    private mutating func action(of id: SyncEntity.ID) -> Action {
        let entity = plan.entities[id]
        let node = entity.local.map { local.nodes[$0] }
        if entity.local == nil, entity.base != nil, isHidden(id) { return .leave }
        switch node?.hold {
        case .unsettled:
            plan.isUnsettled = true
            return .leave
        case .refused(let reason):
            notice(id, reason)
            return .leave
        case .unreadable(let reason):
            plan.isStuck = true
            notice(id, reason)
            return .leave
        case nil: break
        }
        switch (entity.base, node, entity.remote) {
        case (_, nil, nil): return .forget
        case (let base?, let node?, nil):
            if options.direction == .up { return .keep }
            let isChanged = entity.kind.isFile && node.digest != base.digest
            guard !isChanged else { return options.direction == .down ? .leave : .keep }
            return .deleteLocal
        case (let base?, nil, let remote?):
            if options.direction == .down || entity.kind == .fund { return .keep }
            let isChanged = entity.kind.isFile && remote.digest != base.digest
            guard !isChanged else { return options.direction == .up ? .leave : .keep }
            plan.absences.insert(base.id)
            // Editors save by moving the old file away and the new one into its place: in between, a delete would cost
            // the file on the server its identity, its star and its links.
            guard options.settledAbsences?.contains(base.id) ?? true else {
                plan.isUnsettled = true
                return .leave
            }
            return .deleteRemote
        case (nil, let node?, nil):
            if options.direction == .down { return .leave }
            let isFund = entity.kind == .fund
            if let problem = SyncName.problemOnServer(node.name, isFund: isFund) {
                notice(id, problem)
                return .leave
            }
            if options.topIsFunds, node.parent == nil, !isFund {
                notice(id, "only folders, which are funds, lie at the top")
                return .leave
            }
            return .keep
        case (nil, nil, let remote?):
            if options.direction == .up { return .leave }
            if let problem = SyncName.problemHere(remote.name, isTop: remote.parent == nil) {
                notice(id, problem)
                return .leave
            }
            return .keep
        case (let base, let node?, let remote?):
            // A thing that a killed run had moved out of the way gets its name again.
            let isOnItsWay = base != nil && SyncName.isTemporary(remote.name)
            if remote.name != base?.name, !isOnItsWay,
                let problem = SyncName.problemHere(remote.name, isTop: remote.parent == nil)
            {
                notice(id, problem)
                return .leave
            }
            if node.name != base?.name, node.name != remote.name,
                let problem = SyncName.problemOnServer(node.name, isFund: entity.kind == .fund)
            {
                notice(id, problem)
                return .leave
            }
            guard entity.kind.isFile, node.digest != remote.digest else { return .keep }
            let (isLocalNew, isRemoteNew) = (node.digest != base?.digest, remote.digest != base?.digest)
            if isLocalNew, isRemoteNew, options.direction != .up { renameConflict(id) }
            return .keep
        }
    }

    /// Whether it lay in a folder that cannot be read now.
    private func isHidden(_ id: SyncEntity.ID) -> Bool {
        var row = plan.entities[id].base
        var steps = 0
        while let parent = row?.parent, let above = basePlaces[parent], steps <= plan.entities.count {
            if isHeld(above) { return true }
            row = plan.entities[above].base
            steps += 1
        }
        return false
    }

    /// Both versions stay: the one here gets another name and is a new file from then on.
    private mutating func renameConflict(_ id: SyncEntity.ID) {
        guard let place = localPlace[id], let node = plan.entities[id].local else { return }
        conflictRenames.append(
            .renameConflict(
                id, node: node, in: place.parentEntity, row: plan.entities[id].base?.id, named: freeName(for: id, place)
            )
        )
        plan.entities[id].local = nil
        plan.entities[id].base = nil
        localPlace[id] = nil
    }

    /// For a conflict copy beside a thing.
    mutating func freeName(for id: SyncEntity.ID, _ place: PathSlot) -> String {
        let taken = namesInUse[place.parent] ?? []
        let own = SyncName.isTemporary(place.name) ? plan.entities[id].base?.name : nil
        let name = SyncName.conflict(own ?? place.name, by: options.user, on: options.day) {
            taken.contains(SyncName.key($0))
        }
        namesInUse[place.parent, default: []].insert(SyncName.key(name))
        return name
    }

    private mutating func place() {
        for id in plan.entities.indices { setPlace(id, wanted(of: id)) }
    }

    private mutating func setPlace(_ id: SyncEntity.ID, _ slot: PathSlot) {
        plan.entities[id].parent = slot.parentEntity
        plan.entities[id].name = slot.name
    }

    /// Where one side moved it, it goes; where both did, the server's place counts.
    private func wanted(of id: SyncEntity.ID) -> PathSlot {
        let entity = plan.entities[id]
        switch (localPlace[id], remotePlace[id]) {
        case (nil, nil): return PathSlot(entity.parent, entity.name)
        case (let local?, nil):
            guard SyncName.isTemporary(local.name), let base = entity.base else { return local }
            return PathSlot(local.parentEntity, base.name)
        case (nil, let remote?):
            guard SyncName.isTemporary(remote.name), let base = entity.base else { return remote }
            return PathSlot(remote.parentEntity, base.name)
        case (let local?, let remote?):
            guard let base = entity.base else { return remote }
            let before = PathSlot(base.parent.map { basePlaces[$0] ?? -2 }, base.name)
            let isRemoteMoved = remote != before && !SyncName.isTemporary(remote.name)
            let isLocalMoved = local != before && !SyncName.isTemporary(local.name)
            switch (isLocalMoved, isRemoteMoved) {
            case (true, true): return options.direction == .up ? local : remote
            case (true, false): return local
            case (false, true): return remote
            case (false, false): return before.parent == -2 ? remote : before
            }
        }
    }

    // MARK: Deletes that must not happen

    /// A folder stays while something is to lie in it.
    private mutating func keepParents() {
        for id in plan.entities.indices where actions[id] == .keep {
            var above = plan.entities[id].parent
            var steps = 0
            while let parent = above, steps <= plan.entities.count {
                steps += 1
                if actions[parent] == .deleteLocal || actions[parent] == .deleteRemote { actions[parent] = .keep }
                if actions[parent] == .forget { actions[parent] = .keep }
                above = plan.entities[parent].parent
            }
        }
        // A folder that is left alone takes with it all that lies below.
        for id in plan.entities.indices where actions[id] == .keep || actions[id] == .deleteRemote {
            // One way it only does not follow to where the other side moved it: its bytes do not wait.
            let isOnlyMoved = options.direction != .both && actions[id] == .keep && !isMissingSide(id)
            let isBelowLeft = isBelow(id) { above in
                guard actions[above] == .leave else { return false }
                return isHeld(above) || !isOnlyMoved && (options.direction != .both || isMissingSide(above))
            }
            if isBelowLeft { actions[id] = .leave }
        }
    }

    /// Whether a folder above, where both sides are to have it, is such a one.
    func isBelow(_ id: SyncEntity.ID, where isSuch: (SyncEntity.ID) -> Bool) -> Bool {
        var steps = 0
        var above = plan.entities[id].parent
        while let parent = above, steps <= plan.entities.count {
            steps += 1
            if isSuch(parent) { return true }
            above = plan.entities[parent].parent
        }
        return false
    }

    private func isHeld(_ id: SyncEntity.ID) -> Bool {
        plan.entities[id].local.map { local.nodes[$0].hold != nil } ?? false
    }

    private func isMissingSide(_ id: SyncEntity.ID) -> Bool {
        plan.entities[id].local == nil || plan.entities[id].remote == nil
    }

    /// Two folders that were moved into each other, one on each side: the server's place counts.
    private mutating func breakCircles() {
        var isSound = Set<SyncEntity.ID>()
        for id in plan.entities.indices where !plan.entities[id].kind.isFile {
            var path: [SyncEntity.ID] = []
            var onPath = Set<SyncEntity.ID>()
            var current: SyncEntity.ID? = id
            while let here = current, !isSound.contains(here) {
                if onPath.contains(here) {
                    guard let start = path.firstIndex(of: here),
                        let moved = path[start...].first(where: { member in
                            remotePlace[member].map { $0.parentEntity != plan.entities[member].parent } ?? false
                        }), let place = remotePlace[moved]
                    else { break }
                    setPlace(moved, place)
                    (path, onPath, current) = ([], [], id)
                    continue
                }
                path.append(here)
                onPath.insert(here)
                current = plan.entities[here].parent
            }
            isSound.formUnion(path)
        }
    }

    // MARK: Mass deletes

    private mutating func holdDeletes() {
        guard !options.mayDeleteMany else { return }
        let known = plan.entities.reduce(options.unchangedFiles) { $0 + ($1.base != nil && $1.kind.isFile ? 1 : 0) }
        func count(_ action: Action) -> Int {
            plan.entities.indices.reduce(0) { $0 + (actions[$1] == action && plan.entities[$1].kind.isFile ? 1 : 0) }
        }
        let (here, there) = (count(.deleteLocal), count(.deleteRemote))
        let deleted = here + there
        let isMany = deleted > PlanOptions.minAsked && Double(deleted) > Double(known) * PlanOptions.maxPart
        guard deleted > PlanOptions.maxDeletes || isMany else { return }
        plan.heldDeletes = SyncPlan.HeldDeletes(local: here, remote: there, known: known)
        for id in plan.entities.indices where actions[id] == .deleteLocal || actions[id] == .deleteRemote {
            actions[id] = .leave
        }
    }

    mutating func notice(_ id: SyncEntity.ID, _ reason: String) {
        plan.notices.append(SyncNotice(path: path(of: id), reason: reason))
    }

    /// For people.
    func path(of id: SyncEntity.ID) -> String {
        var names: [String] = []
        var current: SyncEntity.ID? = id
        while let here = current, names.count < 1000 {
            let slot = localPlace[here] ?? remotePlace[here]
            names.append(slot?.name ?? plan.entities[here].name)
            current = slot?.parentEntity
        }
        return names.reversed().joined(separator: "/")
    }
}
