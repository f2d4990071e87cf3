import FundCore

/// Decides whose work is next when several users wait: surplus round robin, a deficit round robin for work whose cost
/// is known only after it. Each round gives everybody the same time; who used more pays with the rounds to come.
struct RoundRobin: Sendable {
    /// Processor seconds that a round gives, and what a piece of work costs until it has ended: a usual thumbnail.
    private static let quantum = Duration.seconds(1)
    /// Debts of more users are forgotten.
    private static let maxUsers = 4096

    /// Time that is left, below zero for debts. A user without an entry owes nothing.
    private var balances: [User.ID?: Duration] = [:]
    /// The users of the last look, in turn.
    private var queue: [User.ID?] = []

    /// The users in the order in which they come: those who have time left in turn, then the others by their debts.
    mutating func order(_ waiting: [User.ID?]) -> [User.ID?] {
        guard waiting.count > 1 else { return waiting }
        let known = Set(queue)
        queue = queue.filter(Set(waiting).contains) + waiting.filter { !known.contains($0) }
        let best = queue.map { balance(of: $0) }.max() ?? .zero
        // The rounds until the first has time again, for all of them.
        let rounds = best > .zero ? 0 : Int((.zero - best) / Self.quantum) + 1
        if rounds > 0 { for user in queue { balances[user] = balance(of: user) + Self.quantum * rounds } }
        let (ready, late) = (queue.filter { balance(of: $0) > .zero }, queue.filter { balance(of: $0) <= .zero })
        return ready + late.sorted { balance(of: $0) > balance(of: $1) }
    }

    /// Notes that a piece of work began: its user comes behind the others.
    mutating func began(_ user: User.ID?) {
        if let place = queue.firstIndex(of: user) { queue.append(queue.remove(at: place)) }
        charge(user, Self.quantum)
    }

    /// Notes that a piece of work ended after this time.
    mutating func ended(_ user: User.ID?, after time: Duration) { charge(user, time - Self.quantum) }

    private func balance(of user: User.ID?) -> Duration { balances[user] ?? .zero }

    private mutating func charge(_ user: User.ID?, _ time: Duration) {
        if balances.count >= Self.maxUsers { balances = [:] }
        // Credit is limited: a user who comes back after a pause is not served before all others for long.
        balances[user] = min(balance(of: user) - time, Self.quantum)
    }
}
