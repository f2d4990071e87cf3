/// Who gets a name that two things are to have.
extension Planner {
    /// Two things that are to have one name: one of them gets another.
    mutating func resolveNames() {
        var wanting: [Slot: [SyncEntity.ID]] = [:]
        for id in plan.entities.indices {
            switch fates[id] {
            case .keep: break
            case .leave: if localPlace[id] == nil { continue }
            default: continue
            }
            let entity = plan.entities[id]
            let place =
                fates[id] == .leave
                ? localPlace[id] ?? Slot(entity.parent, entity.name) : Slot(entity.parent, entity.name)
            wanting[Slot(place.parentEntity, SyncName.key(place.name)), default: []].append(id)
        }
        var losers: Set<SyncEntity.ID> = []
        for (slot, ids) in wanting where ids.count > 1 {
            let ranked = ids.filter { fates[$0] == .keep }.map { (id: $0, claim: claim(of: $0)) }
                .sorted { ($0.claim, $0.id) < ($1.claim, $1.id) }.map(\.id)
            guard let winner = ranked.first else { continue }
            // What is left alone is in the way of what is still to come, here or to the server.
            let left = ids.first { fates[$0] == .leave }
            let isLeftThere = left.map { isThere($0, at: slot) } ?? false
            if let left, !isLeftThere, !isHere(winner, at: slot) {
                lose(winner, to: left, &losers)
                continue
            }
            for id in isLeftThere ? ranked[...] : ranked.dropFirst() {
                guard isHere(id, at: slot), let place = localPlace[id], options.direction != .up else {
                    lose(id, to: isLeftThere ? left ?? winner : winner, &losers)
                    continue
                }
                fates[id] = .leave
                losers.insert(id)
                conflictNames[id] = freeName(for: id, place)
            }
        }
        // Where they go shows in another look.
        guard !losers.isEmpty else { return }
        for id in plan.entities.indices where fates[id] != .leave && isBelow(id, where: losers.contains) {
            fates[id] = .leave
        }
    }

    private func isHere(_ id: SyncEntity.ID, at slot: Slot) -> Bool {
        localPlace[id].map { Slot($0.parentEntity, SyncName.key($0.name)) == slot } ?? false
    }

    private func isThere(_ id: SyncEntity.ID, at slot: Slot) -> Bool {
        remotePlace[id].map { Slot($0.parentEntity, SyncName.key($0.name)) == slot } ?? false
    }

    private mutating func lose(_ id: SyncEntity.ID, to other: SyncEntity.ID, _ losers: inout Set<SyncEntity.ID>) {
        noteTaken(id, by: other)
        fates[id] = .leave
        losers.insert(id)
        plan.isStuck = true
    }

    /// Why a thing is to have a name, the best reason first.
    private enum Claim: Int, Comparable {
        case bothSidesHaveIt, serverHasItThere, serverKnowsIt, wasInStep, isNewHere

        static func < (left: Claim, right: Claim) -> Bool { left.rawValue < right.rawValue }
    }

    private func claim(of id: SyncEntity.ID) -> Claim {
        let entity = plan.entities[id]
        let wanted = Slot(entity.parent, entity.name)
        if localPlace[id] == wanted, remotePlace[id] == wanted { return .bothSidesHaveIt }
        if remotePlace[id] == wanted { return .serverHasItThere }
        if entity.remote != nil { return .serverKnowsIt }
        return entity.base != nil ? .wasInStep : .isNewHere
    }
}
