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
            let ranked = ids.map { (id: $0, claim: claim(of: $0)) }.sorted { ($0.claim, $0.id) < ($1.claim, $1.id) }
            for id in ranked.dropFirst().map(\.id) where fates[id] == .keep {
                fates[id] = .leave
                losers.insert(id)
                if let place = localPlace[id], Slot(place.parentEntity, SyncName.key(place.name)) == slot,
                    options.direction != .up
                {
                    conflictNames[id] = freeName(for: id, place)
                } else {
                    notice(id, "its name is taken, if only in other letter case")
                }
            }
        }
        // Where they go shows in another look.
        guard !losers.isEmpty else { return }
        for id in plan.entities.indices where fates[id] != .leave && isBelow(id, where: losers.contains) {
            fates[id] = .leave
        }
    }

    /// Why a thing is to have a name, the best reason first.
    private enum Claim: Int, Comparable {
        case bothSidesHaveIt, isLeftAlone, serverHasItThere, serverKnowsIt, wasInStep, isNewHere

        static func < (left: Claim, right: Claim) -> Bool { left.rawValue < right.rawValue }
    }

    private func claim(of id: SyncEntity.ID) -> Claim {
        let entity = plan.entities[id]
        let wanted = Slot(entity.parent, entity.name)
        if fates[id] == .leave { return .isLeftAlone }
        if localPlace[id] == wanted, remotePlace[id] == wanted { return .bothSidesHaveIt }
        if remotePlace[id] == wanted { return .serverHasItThere }
        if entity.remote != nil { return .serverKnowsIt }
        return entity.base != nil ? .wasInStep : .isNewHere
    }
}
