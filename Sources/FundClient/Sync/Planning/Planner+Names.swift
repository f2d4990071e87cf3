/// Who gets a name that two things are to have.
extension Planner {
    /// Two things that are to have one name: one of them gets another.
    mutating func resolveNames() {
        var wanting: [PathSlot: [SyncEntity.ID]] = [:]
        for id in plan.entities.indices {
            switch actions[id] {
            case .keep: break
            case .leave: if localPlace[id] == nil { continue }
            default: continue
            }
            let entity = plan.entities[id]
            let wanted = PathSlot(entity.parent, entity.name)
            let place = actions[id] == .leave ? localPlace[id] ?? wanted : wanted
            wanting[place.keyed, default: []].append(id)
        }
        var losers: Set<SyncEntity.ID> = []
        for (slot, ids) in wanting where ids.count > 1 {
            let ranked = ids.filter { actions[$0] == .keep }.map { (id: $0, claim: claim(of: $0)) }
                .sorted { ($0.claim, $0.id) < ($1.claim, $1.id) }.map(\.id)
            guard let winner = ranked.first else { continue }
            // A thing that is left alone is in the way of things still to come, here or to the server.
            let left = ids.first { actions[$0] == .leave }
            let isLeftThere = left.flatMap { remotePlace[$0] }?.keyed == slot
            if let left, !isLeftThere, localPlace[winner]?.keyed != slot {
                lose(winner, to: left, &losers)
                continue
            }
            for id in isLeftThere ? ranked[...] : ranked.dropFirst() {
                guard let place = localPlace[id], place.keyed == slot, options.direction != .up else {
                    lose(id, to: isLeftThere ? left ?? winner : winner, &losers)
                    continue
                }
                actions[id] = .leave
                losers.insert(id)
                conflictNames[id] = freeName(for: id, place)
            }
        }
        // Where they go shows in another look.
        guard !losers.isEmpty else { return }
        for id in plan.entities.indices where actions[id] != .leave && isBelow(id, where: losers.contains) {
            actions[id] = .leave
        }
    }

    private mutating func lose(_ id: SyncEntity.ID, to other: SyncEntity.ID, _ losers: inout Set<SyncEntity.ID>) {
        noteTaken(id, by: other)
        actions[id] = .leave
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
        let wanted = PathSlot(entity.parent, entity.name)
        if localPlace[id] == wanted, remotePlace[id] == wanted { return .bothSidesHaveIt }
        if remotePlace[id] == wanted { return .serverHasItThere }
        if entity.remote != nil { return .serverKnowsIt }
        return entity.base != nil ? .wasInStep : .isNewHere
    }
}
