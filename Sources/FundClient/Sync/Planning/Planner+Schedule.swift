extension Planner {
    /// A change of names on one side.
    private enum Step: Hashable {
        case makeLocal(SyncEntity.ID)
        case makeRemote(SyncEntity.ID)
        case moveLocal(SyncEntity.ID)
        case moveRemote(SyncEntity.ID)
        case deleteLocal(SyncEntity.ID)
        case deleteRemote(SyncEntity.ID)

        var isHere: Bool {
            switch self {
            case .makeLocal, .moveLocal, .deleteLocal: true
            case .makeRemote, .moveRemote, .deleteRemote: false
            }
        }

        /// The thing that gets a name by the step; nil for deletes.
        var arriving: SyncEntity.ID? {
            switch self {
            case .makeLocal(let id), .moveLocal(let id), .makeRemote(let id), .moveRemote(let id): id
            case .deleteLocal, .deleteRemote: nil
            }
        }
    }

    /// The names on one side while the operations are done one after the other.
    struct Side {
        var places: [PathSlot?]
        private var holders: [PathSlot: Set<SyncEntity.ID>] = [:]
        private var childCounts: [SyncEntity.ID: Int] = [:]

        init(_ places: [PathSlot?]) {
            self.places = Array(repeating: nil, count: places.count)
            for (id, place) in places.enumerated() { set(place, of: id) }
        }

        mutating func set(_ place: PathSlot?, of id: SyncEntity.ID) {
            if let old = places[id] {
                holders[old.keyed]?.remove(id)
                childCounts[old.parent, default: 0] -= 1
            }
            places[id] = place
            if let place {
                holders[place.keyed, default: []].insert(id)
                childCounts[place.parent, default: 0] += 1
            }
        }

        func has(_ parent: SyncEntity.ID?) -> Bool { parent.map { places[$0] != nil } ?? true }

        func isEmpty(_ folder: SyncEntity.ID) -> Bool { childCounts[folder, default: 0] == 0 }

        func children(of folder: SyncEntity.ID) -> [SyncEntity.ID] {
            places.indices.filter { places[$0]?.parentEntity == folder }
        }

        /// Other things that have the name.
        func others(at slot: PathSlot, than id: SyncEntity.ID) -> [SyncEntity.ID] {
            (holders[slot.keyed] ?? []).filter { $0 != id }.sorted()
        }

        func isBelow(_ folder: SyncEntity.ID?, _ id: SyncEntity.ID) -> Bool {
            var current = folder
            var steps = 0
            while let here = current, steps <= places.count {
                if here == id { return true }
                current = places[here]?.parentEntity
                steps += 1
            }
            return false
        }
    }

    /// Orders the operations so that each finds its folder there and its name free.
    mutating func schedule() {
        plan.operations += conflictRenames
        for (id, name) in conflictNames.sorted(by: { $0.key < $1.key }) {
            plan.operations.append(.renameLocal(id, named: name))
            localPlace[id]?.name = name
        }
        noteWhatIsInStep()
        var (here, there) = (Side(localPlace), Side(remotePlace))
        var below: [SyncEntity.ID: [SyncEntity.ID]] = [:]
        var pending = steps()
        var passed: Set<Step> = []
        while !pending.isEmpty {
            let count = pending.count
            pending = pending.filter { !perform($0, &here, &there, &below) }
            if pending.count < count { continue }
            guard passOne(of: possible(among: pending, here, there), &passed, &here, &there) else { break }
        }
        pending.forEach { noteStuck($0, here, there) }
        for case .deleteRemote(let id) in pending {
            plan.operations += (below[id] ?? []).map { .deleteRemote($0, below: []) }
        }
        scheduleTransfers(&here, &there)
    }

    private mutating func noteWhatIsInStep() {
        var byDepth: [[SyncEntity.ID]] = []
        for id in plan.entities.indices {
            let depth = depth(of: id)
            while byDepth.count <= depth { byDepth.append([]) }
            byDepth[depth].append(id)
        }
        for id in byDepth.joined() {
            let entity = plan.entities[id]
            if actions[id] == .forget, entity.base != nil { plan.operations.append(.forget(id)) }
            guard actions[id] == .keep, let index = entity.local, let remote = entity.remote else { continue }
            let (node, place) = (local.nodes[index], PathSlot(entity.parent, entity.name))
            guard localPlace[id] == place, remotePlace[id] == place, node.digest == remote.digest else { continue }
            let parent = entity.parent.flatMap { plan.entities[$0].base?.id }
            if let base = entity.base, base.remote == remote.key, base.name.utf8.elementsEqual(remote.name.utf8),
                base.digest == remote.digest, base.fingerprint == node.fingerprint, base.parent == parent
            {
                continue
            }
            plan.operations.append(.record(id))
        }
    }

    private func depth(of id: SyncEntity.ID) -> Int {
        var depth = 0
        var current = plan.entities[id].parent
        while let here = current, depth <= plan.entities.count {
            depth += 1
            current = plan.entities[here].parent
        }
        return depth
    }

    private func steps() -> [Step] {
        var (makes, moves, deletes): ([(Int, Step)], [Step], [(Int, Step)]) = ([], [], [])
        let (mayChangeHere, mayChangeThere) = (options.direction != .up, options.direction != .down)
        for (id, entity) in plan.entities.enumerated() {
            let place = PathSlot(entity.parent, entity.name)
            switch actions[id] {
            case .keep:
                if let current = localPlace[id] {
                    if current != place, mayChangeHere { moves.append(.moveLocal(id)) }
                } else if !entity.kind.isFile, mayChangeHere {
                    makes.append((depth(of: id), .makeLocal(id)))
                }
                if let current = remotePlace[id] {
                    if current != place, mayChangeThere { moves.append(.moveRemote(id)) }
                } else if !entity.kind.isFile, mayChangeThere {
                    makes.append((depth(of: id), .makeRemote(id)))
                }
            case .deleteLocal: if mayChangeHere { deletes.append((-depth(of: id), .deleteLocal(id))) }
            case .deleteRemote: if mayChangeThere { deletes.append((-depth(of: id), .deleteRemote(id))) }
            case .forget, .leave: break
            }
        }
        makes.sort { $0.0 < $1.0 }
        deletes.sort { $0.0 < $1.0 }
        return makes.map(\.1) + moves + deletes.map(\.1)
    }

    /// False when it cannot be done yet.
    private mutating func perform(
        _ step: Step, _ here: inout Side, _ there: inout Side, _ below: inout [SyncEntity.ID: [SyncEntity.ID]]
    ) -> Bool {
        switch step {
        case .makeLocal(let id): return arrive(id, on: &here, .makeLocal(id))
        case .makeRemote(let id): return arrive(id, on: &there, .makeRemote(id))
        case .moveLocal(let id):
            let entity = plan.entities[id]
            return arrive(id, on: &here, .moveLocal(id, to: entity.parent, named: entity.name))
        case .moveRemote(let id):
            let entity = plan.entities[id]
            return arrive(id, on: &there, .moveRemote(id, to: entity.parent, named: entity.name))
        case .deleteLocal(let id):
            guard here.isEmpty(id) else { return false }
            here.set(nil, of: id)
            plan.operations.append(.deleteLocal(id))
        case .deleteRemote(let id):
            guard there.isEmpty(id) else { return false }
            let parent = there.places[id]?.parentEntity
            there.set(nil, of: id)
            if let parent, actions[parent] == .deleteRemote {
                below[parent, default: []] += (below[id] ?? []) + [id]
            } else {
                plan.operations.append(.deleteRemote(id, below: below[id] ?? []))
            }
        }
        return true
    }

    private mutating func arrive(_ id: SyncEntity.ID, on side: inout Side, _ operation: SyncOperation) -> Bool {
        let entity = plan.entities[id]
        let slot = PathSlot(entity.parent, entity.name)
        guard side.has(entity.parent), side.others(at: slot, than: id).isEmpty, !side.isBelow(entity.parent, id) else {
            return false
        }
        side.set(slot, of: id)
        plan.operations.append(operation)
        return true
    }

    // MARK: What waits for each other

    /// Steps that can be done once others of them are. A step that waits for a name or a folder that stays as it is
    /// never can, and nothing is to be moved out of the way for it.
    private func possible(among pending: [Step], _ here: Side, _ there: Side) -> [Step] {
        var possible = Set(pending)
        while true {
            let lost = possible.filter { step in
                let side = step.isHere ? here : there
                let isLeaving = { (id: SyncEntity.ID) in
                    possible.contains(step.isHere ? .moveLocal(id) : .moveRemote(id))
                        || possible.contains(step.isHere ? .deleteLocal(id) : .deleteRemote(id))
                }
                switch step {
                case .deleteLocal(let id), .deleteRemote(let id):
                    return side.children(of: id).contains { !isLeaving($0) }
                case .makeLocal(let id), .moveLocal(let id), .makeRemote(let id), .moveRemote(let id):
                    let entity = plan.entities[id]
                    if side.others(at: PathSlot(entity.parent, entity.name), than: id).contains(where: {
                        !isLeaving($0)
                    }) {
                        return true
                    }
                    guard let parent = entity.parent, !side.has(parent) else { return false }
                    return !possible.contains(step.isHere ? .makeLocal(parent) : .makeRemote(parent))
                }
            }
            if lost.isEmpty { return pending.filter(possible.contains) }
            possible.subtract(lost)
        }
    }

    /// Says what a step that cannot be done waits for. A folder that is to be deleted stays for what lies in it.
    private mutating func noteStuck(_ step: Step, _ here: Side, _ there: Side) {
        guard let id = step.arriving else { return }
        plan.isStuck = true
        noteTaken(id, on: step.isHere ? here : there)
    }

    /// Something else has the name that a thing is to get, or its folder is not there, for which there is a notice.
    private mutating func noteTaken(_ id: SyncEntity.ID, on side: Side) {
        let entity = plan.entities[id]
        guard let other = side.others(at: PathSlot(entity.parent, entity.name), than: id).first else { return }
        noteTaken(id, by: other)
    }

    mutating func noteTaken(_ id: SyncEntity.ID, by other: SyncEntity.ID) {
        notice(id, "its name is taken by \(path(of: other)), which stays")
    }

    /// When names wait for each other in a circle: one goes out of the way. False when that does not help.
    private mutating func passOne(
        of pending: [Step], _ passed: inout Set<Step>, _ here: inout Side, _ there: inout Side
    ) -> Bool {
        let waitingHere = Waiting(steps: pending, isHere: true, passed: passed)
        let waitingThere = Waiting(steps: pending, isHere: false, passed: passed)
        for step in pending {
            guard let id = step.arriving else { continue }
            let isHere = step.isHere
            let (side, waiting) = isHere ? (here, waitingHere) : (there, waitingThere)
            let slot = PathSlot(plan.entities[id].parent, plan.entities[id].name)
            for other in side.others(at: slot, than: id) {
                guard let (moved, parent) = wayOut(of: other, on: side, waiting) else { continue }
                var number = moved
                while !side.others(at: PathSlot(parent, SyncName.temporary(number)), than: moved).isEmpty {
                    number += plan.entities.count
                }
                let between = PathSlot(parent, SyncName.temporary(number))
                if isHere { here.set(between, of: moved) } else { there.set(between, of: moved) }
                plan.operations.append(
                    isHere
                        ? .moveLocal(moved, to: parent, named: between.name)
                        : .moveRemote(moved, to: parent, named: between.name))
                passed.insert(waiting.move(moved))
                return true
            }
        }
        return false
    }

    /// The steps of one side that wait.
    private struct Waiting {
        /// Things that did not go out of the way yet.
        let moves: [SyncEntity.ID]
        let deletes: Set<SyncEntity.ID>
        let isHere: Bool

        /// - Parameter passed: what went out of the way before does not do so again.
        init(steps: [Step], isHere: Bool, passed: Set<Step>) {
            self.isHere = isHere
            moves = steps.compactMap { step in
                switch step {
                case .moveLocal(let id) where isHere && !passed.contains(step): id
                case .moveRemote(let id) where !isHere && !passed.contains(step): id
                default: nil
                }
            }
            // A fund here goes out of the way itself.
            deletes = Set(
                steps.compactMap { step in
                    switch step {
                    case .deleteLocal(let id) where isHere && !passed.contains(.moveLocal(id)): id
                    case .deleteRemote(let id) where !isHere: id
                    default: nil
                    }
                })
        }

        func move(_ id: SyncEntity.ID) -> Step { isHere ? .moveLocal(id) : .moveRemote(id) }
    }

    /// Moves by which a thing leaves its name: the thing itself when it is to be moved. From a folder that
    /// is to be deleted goes what is to be moved out of it and has to wait for that name; so the folder comes into the
    /// trash under its own name.
    private func wayOut(
        of holder: SyncEntity.ID, on side: Side, _ waiting: Waiting
    ) -> (moved: SyncEntity.ID, parent: SyncEntity.ID?)? {
        if waiting.moves.contains(holder) { return (holder, side.places[holder]?.parentEntity) }
        guard waiting.deletes.contains(holder) else { return nil }
        var top = holder
        while let above = side.places[top]?.parentEntity, waiting.deletes.contains(above) { top = above }
        var parent = side.places[top]?.parentEntity
        if parent == nil, options.topIsFunds {
            // Nothing but funds may lie at the top.
            if top == holder { return (holder, nil) }
            parent = top
        }
        let inner = waiting.moves.first { side.isBelow(side.places[$0]?.parentEntity, holder) }
        return inner.map { ($0, parent) }
    }

    private mutating func scheduleTransfers(_ here: inout Side, _ there: inout Side) {
        for (id, entity) in plan.entities.enumerated() where actions[id] == .keep && entity.kind.isFile {
            let node = entity.local.map { local.nodes[$0] }
            let place = PathSlot(entity.parent, entity.name)
            switch (node, entity.remote) {
            case (nil, _?):
                guard options.direction != .up else { continue }
                guard here.has(entity.parent), here.others(at: place, than: id).isEmpty else {
                    plan.isStuck = true
                    noteTaken(id, on: here)
                    continue
                }
                here.set(place, of: id)
                plan.operations.append(.download(id))
            case (_?, nil):
                guard options.direction != .down else { continue }
                guard there.has(entity.parent), there.others(at: place, than: id).isEmpty else {
                    plan.isStuck = true
                    noteTaken(id, on: there)
                    continue
                }
                there.set(place, of: id)
                plan.operations.append(.upload(id))
            case (let node?, let remote?):
                guard node.digest != remote.digest else { continue }
                let isLocalNew = node.digest != entity.base?.digest
                if isLocalNew, options.direction != .down { plan.operations.append(.upload(id)) }
                if !isLocalNew, options.direction != .up { plan.operations.append(.download(id)) }
            case (nil, nil): continue
            }
        }
    }
}
