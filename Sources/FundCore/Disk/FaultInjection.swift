/// Places where crash tests stop the process: before and after every durable step.
package enum FaultPoint: String, Sendable, CaseIterable {
    case beforeSpoolWrite = "before_spool_write"
    case afterSpoolWrite = "after_spool_write"
    case beforeAppend = "before_append"
    case afterAppend = "after_append"
    case beforeBarrier = "before_barrier"
    case afterBarrier = "after_barrier"
    case beforeCommit = "before_commit"
    case afterCommit = "after_commit"
    case afterReclaim = "after_reclaim"
    /// The old database of a rebuild is set aside, and the new one is not in its place.
    case afterOldDatabase = "after_old_database"
    case beforeAcknowledge = "before_acknowledge"
    case afterAcknowledge = "after_acknowledge"
    /// The copy of the rows before an update is written, and has no name yet by which it is found.
    case afterUpdateDraft = "after_update_draft"
    case afterUpdateCopy = "after_update_copy"
    /// A step of an update is taken.
    case afterUpdateStep = "after_update_step"
    case afterUpdate = "after_update"
    /// The row of a segment that is to be an object is there, and the object is not.
    case afterObjectRow = "after_object_row"
    case afterObjectPut = "after_object_put"
    /// Rows say that an object has all of its segment.
    case afterObjectWhole = "after_object_whole"
    /// Rows say that a segment has no file any more, and the file is still there.
    case beforeFileGoes = "before_file_goes"
    /// A segment is a file again, and rows do not say so.
    case afterFileCame = "after_file_came"
    /// An object is deleted, and its row is still there.
    case afterObjectGone = "after_object_gone"
    /// The rows of a table are copied to the other engine.
    case afterCopiedTable = "after_copied_table"
    /// All rows are copied to the other engine, and not compared yet.
    case afterCopiedRows = "after_copied_rows"
    case afterComparedRows = "after_compared_rows"
    /// The store is that of the other engine, and the rows of before are not put aside yet.
    case afterOtherEngine = "after_other_engine"

    /// The points of an update of the store: mail reaches none of them.
    package static let ofUpdates: [FaultPoint] = [.afterUpdateDraft, .afterUpdateCopy, .afterUpdateStep, .afterUpdate]
    /// The points of segments on their way to an object store and back: mail reaches none of them.
    package static let ofObjects: [FaultPoint] = [
        .afterObjectRow, .afterObjectPut, .afterObjectWhole, .beforeFileGoes, .afterFileCame, .afterObjectGone,
    ]
    /// The points of a migration to another engine: mail reaches none of them.
    package static let ofMigrations: [FaultPoint] = [
        .afterCopiedTable, .afterCopiedRows, .afterComparedRows, .afterOtherEngine,
    ]
}

/// Called at each fault point. Does nothing unless the command line of a debug build sets an action.
package struct FaultInjection: Sendable {
    private let action: (@Sendable (FaultPoint) -> Void)?

    package static let none = FaultInjection(action: nil)

    package init(action: (@Sendable (FaultPoint) -> Void)?) { self.action = action }

    /// Called when `point` is reached.
    package func reach(_ point: FaultPoint) { action?(point) }
}
