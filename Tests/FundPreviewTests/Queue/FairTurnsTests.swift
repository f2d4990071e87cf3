import FundCore
import TestSupport
import Testing

@testable import FundPreview

/// Users come in turn by the time that their work takes, not by how many pieces they have.
struct FairTurnsTests {
    private static let (ann, bea): (User.ID?, User.ID?) = (1, 2)

    @Test func heavyWorkPaysLater() {
        var turns = FairTurns()
        var order: [User.ID?] = []
        // Ann's pieces take twenty seconds each, Bea's a half.
        for _ in 0..<60 {
            guard let next = turns.order([Self.ann, Self.bea]).first else { continue }
            order.append(next)
            turns.began(next)
            turns.ended(next, after: next == Self.ann ? .seconds(20) : .milliseconds(500))
        }
        let ofAnn = order.count { $0 == Self.ann }
        #expect((1...3).contains(ofAnn))
        // After one heavy piece it is Bea's turn, until as much was done for her.
        let first = order.firstIndex(of: Self.ann) ?? 0
        #expect(order[(first + 1)..<(first + 20)].allSatisfy { $0 == Self.bea })
    }

    @Test func equalWorkAlternates() {
        var turns = FairTurns()
        let users: [User.ID?] = [nil, 1, 2]
        var counts: [User.ID?: Int] = [:]
        for _ in 0..<30 {
            let next = turns.order(users)[0]
            counts[next, default: 0] += 1
            turns.began(next)
            turns.ended(next, after: .seconds(1))
        }
        #expect(users.allSatisfy { counts[$0] == 10 })
    }

    /// A pause is not saved up, and debts do not keep anybody from what nobody else wants.
    @Test func pausesSaveNothing() {
        var turns = FairTurns()
        turns.began(Self.ann)
        turns.ended(Self.ann, after: .seconds(1000))
        #expect(turns.order([Self.ann]) == [Self.ann])
        #expect(turns.order([Self.ann, Self.bea]) == [Self.bea, Self.ann])
        for _ in 0..<100 { _ = turns.order([Self.bea, nil]) }
        #expect(turns.order([Self.ann, Self.bea]).count == 2)
    }
}
