/// The wishes of a process about the update of a store that it opens.
package struct UpdateOptions: Sendable {
    /// Copies the rows before the first step, and announces nothing.
    package static let usual = UpdateOptions()

    /// Whether the rows are copied before the first step.
    package var copiesRows: Bool
    /// Called before anything is changed. Blocks the update.
    package var announce: @Sendable (UpdatePlan) -> Void

    package init(copiesRows: Bool = true, announce: @escaping @Sendable (UpdatePlan) -> Void = { _ in }) {
        self.copiesRows = copiesRows
        self.announce = announce
    }
}
