import FundCore
import FundStore

extension FundStore {
    /// Filing one kept message works beside a run, which may last for days; the store's transactions keep the two
    /// apart. So the run lock is taken only to keep runs away from short work, and its absence is no failure. Repairs
    /// are the exception: they remove files that no row names yet.
    func lockForRefiling(holder: String) throws -> RunLock? {
        do {
            return try acquireRunLock(holder: holder)
        } catch let error as StoreError where error.code == .held && error.holder != VerifyCommand.repairHolder {
            return nil
        }
    }
}
