import FundCore
import TestSupport
import Testing

@testable import Ingest

/// Funds by what an administrator types.
struct FundFinderTests {
    private static let directory = RoutingDirectory(
        users: [
            User(id: 1, email: "ann@corp.example", name: "Ann Archer"), User(id: 2, email: "bo@corp.example"),
        ],
        addresses: [],
        funds: [
            Fund(id: 11, owner: 1, name: "Corporate", aliases: ["CX"]), Fund(id: 12, owner: 1, name: "Alpha"),
            Fund(id: 21, owner: 2, name: "Archers"), Fund(id: 22, owner: 2, name: "Old archer"),
        ])

    /// Names and aliases come before owners' names; what all addresses have in common finds nothing.
    @Test(arguments: [
        ("corp", [11]), ("example", []), ("corp.example", []), ("cx", [11]), ("alp", [12]),
        ("archer", [21, 22, 12, 11]), ("ann", [12, 11]), ("bo", [21, 22]), ("ann alpha", [12]), ("alpha archer", [12]),
        ("", [12, 21, 11, 22]),
    ])
    func findsByNames(_ words: String, _ funds: [Fund.ID]) {
        #expect(FundFinder(directory: Self.directory).funds(matching: words, most: 9).map(\.fund.id) == funds)
    }
}
