/// Operations that bring two trees in step.
struct SyncPlan: Sendable {
    /// All that is known on any side, by which the operations name things.
    var entities: [SyncEntity] = []
    /// Operations in the order in which they are to be done.
    var operations: [SyncOperation] = []
    /// Things that are left alone, with the reasons.
    var notices: [SyncNotice] = []
    /// Some deletes are not among the operations, since they wait for a yes.
    var heldDeletes: HeldDeletes?
    /// A local file changed a moment ago: another look later will find more to do.
    var isUnsettled = false
    /// Files and folders in the base that are missing here, however long they have been.
    var absences: Set<BaseRow.ID> = []
    /// Something cannot be read, or cannot be moved or made because of what is left alone.
    var isStuck = false

    struct HeldDeletes: Sendable, Hashable {
        /// Files that would go here, and on the server.
        var local: Int
        var remote: Int
        /// Files that are in step.
        var known: Int
    }
}

/// A step towards two equal trees. Each can be done alone, and done again after a kill at any moment.
enum SyncOperation: Sendable, Hashable {
    /// Both sides have the same already: only noted.
    case record(SyncEntity.ID)
    /// Neither side has it any more: only noted.
    case forget(SyncEntity.ID)
    /// A local file gets another name beside its own, and is a new one from then on.
    case renameConflict(SyncEntity.ID, node: Int, in: SyncEntity.ID?, row: BaseRow.ID?, named: String)
    /// A local file or folder gets another name to make room, and stays what it is.
    case renameLocal(SyncEntity.ID, named: String)
    case makeLocal(SyncEntity.ID)
    case makeRemote(SyncEntity.ID)
    case moveLocal(SyncEntity.ID, to: SyncEntity.ID?, named: String)
    case moveRemote(SyncEntity.ID, to: SyncEntity.ID?, named: String)
    /// A local thing goes to the trash of the kept folder. Folders only when they are empty.
    case deleteLocal(SyncEntity.ID)
    /// A thing goes to the server's trash, with all these that lie below it.
    case deleteRemote(SyncEntity.ID, below: [SyncEntity.ID])
    /// The bytes of the server's file, in place of those that the local tree had, if any.
    case download(SyncEntity.ID)
    /// The bytes of the local file, in place of those that the remote tree had, if any.
    case upload(SyncEntity.ID)

    var isTransfer: Bool {
        switch self {
        case .download, .upload: true
        default: false
        }
    }
}

/// Something for people about a thing that is left alone.
struct SyncNotice: Sendable, Hashable {
    var path: String
    var reason: String
}

/// Inputs of a plan besides the trees.
struct PlanOptions: Sendable {
    var direction: SyncDirection = .both
    /// The folders at the top are funds.
    var topIsFunds = true
    /// For the names of conflict copies: `ann`.
    var user = "me"
    /// For the names of conflict copies: `2026-11-21`.
    var day = "2026-01-01"
    /// A mass delete needs no yes any more.
    var mayDeleteMany = false
    /// Files that are in step and not in the trees.
    var unchangedFiles = 0
    /// Absences that lasted long enough for a delete on the server; nil for all.
    var settledAbsences: Set<BaseRow.ID>?

    /// Number of deletes above which they ask first.
    static let maxDeletes = 100
    /// Part of all files above which deletes ask first, when they are more than `minAsked`.
    static let maxPart = 1.0 / 3
    /// Who deletes up to three files means it.
    static let minAsked = 3
}
