import FundCore

extension OwnedDrive {
    /// The problem of the drive, else that of its watched folders; empty for none.
    var problemText: String {
        if let problem = drive.problem { return problem.text }
        guard failingWatches > 0 else { return "" }
        let folders = failingWatches == 1 ? "a watched folder" : "\(failingWatches) watched folders"
        return "\(folders): \(watchProblem?.text ?? "")"
    }
}
