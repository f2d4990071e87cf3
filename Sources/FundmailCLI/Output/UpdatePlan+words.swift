import FundStore
import Terminal

extension UpdatePlan {
    /// The plan in lines for people.
    ///
    /// - Parameter isCopied: whether the rows are copied before the first step.
    func words(isCopied: Bool = true) -> [String] {
        let count = steps.count == 1 ? "one step" : "\(steps.count) steps"
        let list = steps.map { step in
            "  \(step.number)  \(step.title)\(step.rewrites ? " (changes rows that are there)" : "")"
        }
        let title = "The store is of an earlier version: \(count) from schema \(from) to \(to)."
        return [title] + list + [wayBack(isCopied)]
    }

    private func wayBack(_ isCopied: Bool) -> String {
        let after = "An earlier version does not open the store after any of them"
        guard isCopied || isContinued else {
            return "\(after), and its rows are not copied before: only a backup leads back."
        }
        let made = isContinued ? "were copied when this update began" : "are copied before"
        let size = isContinued ? "" : " (\(Quantity.display(bytes: copyBytes)))"
        return "\(after): it goes on with the rows as they are now, which \(made) and stay in \(copy)\(size); "
            + "`fundmail update --back` puts them back."
    }
}
