import FundStore
import FundCore
import Ingest

extension SQLiteAdministrationStore {
    /// The one fund of that name or alias. Throws `CommandError` when there is none or when several owners have one.
    func onlyFund(named name: String, owner: String?) async throws -> FundRecord {
        var ownerID: User.ID?
        if let owner { ownerID = try await user(owner).user.id }
        let found = try await funds(named: name, owner: ownerID)
        if found.count == 1, let fund = found.first { return fund }
        if found.count > 1 {
            let owners = found.map(\.ownerEmail).joined(separator: ", ")
            throw CommandError(.input, "Several people have a fund \(name); name its owner, one of: \(owners).")
        }
        let near = FundSuggestions.nearest(to: name, among: try await funds(owner: ownerID).map(\.fund))
        let hint =
            near.isEmpty
            ? "`fundmail fund list` shows what there is." : "did you mean \(near.joined(separator: " or "))?"
        throw CommandError(.input, "There is no fund \(name)\(owner.map { " of \($0)" } ?? ""); \(hint)")
    }
}
