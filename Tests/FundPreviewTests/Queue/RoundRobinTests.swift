import FundCore
import TestSupport
import Testing

@testable import FundPreview

/// Users come in turn by the time that their work takes, not by how many pieces they have.
struct RoundRobinTests {
    private static let (ann, bea): (User.ID?, User.ID?) = (1, 2)

    @Test func heavyWorkPaysLater() {
        var roundRobin = RoundRobin()
        var order: [User.ID?] = []
        // Ann's pieces take twenty seconds each, Bea's a half.
        for _ in 0..<60 {
            guard let next = roundRobin.order([Self.ann, Self.bea]).first else { continue }
            order.append(next)
            roundRobin.began(next)
            roundRobin.ended(next, after: next == Self.ann ? .seconds(20) : .milliseconds(500))
        }
        let ofAnn = order.count { $0 == Self.ann }
        #expect((1...3).contains(ofAnn))
        // After one heavy piece it is Bea's turn, until as much was done for her.
        let first = order.firstIndex(of: Self.ann) ?? 0
        #expect(order[(first + 1)..<(first + 20)].allSatisfy { $0 == Self.bea })
    }

    @Test func equalWorkAlternates() {
        var roundRobin = RoundRobin()
        let users: [User.ID?] = [nil, 1, 2]
        var counts: [User.ID?: Int] = [:]
        for _ in 0..<30 {
            let next = roundRobin.order(users)[0]
            counts[next, default: 0] += 1
            roundRobin.began(next)
            roundRobin.ended(next, after: .seconds(1))
        }
        #expect(users.allSatisfy { counts[$0] == 10 })
    }

    /// A pause is not saved up, and a debt does not keep a user from processors that are free.
    @Test func pausesSaveNothing() {
        var roundRobin = RoundRobin()
        roundRobin.began(Self.ann)
        roundRobin.ended(Self.ann, after: .seconds(1000))
        #expect(roundRobin.order([Self.ann]) == [Self.ann])
        #expect(roundRobin.order([Self.ann, Self.bea]) == [Self.bea, Self.ann])
        for _ in 0..<100 { _ = roundRobin.order([Self.bea, nil]) }
        #expect(roundRobin.order([Self.ann, Self.bea]).count == 2)
    }
}
