import FundCore

extension Database {
    /// Notes what a repair found and did, an entry for each. To be called in the transaction that does it: where the
    /// process is killed before it could report, it is read there.
    func writeAudit(of repairs: [VerifyFinding]) throws {
        for repair in repairs {
            let action = repair.action.rawValue.replacing("_", with: " ")
            try writeAudit("store.repair", of: repair.path, "\(action): \(repair.detail)", by: "fundmail")
        }
    }
}
