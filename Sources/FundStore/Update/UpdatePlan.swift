/// The update of a store that an earlier version wrote: its steps, and the copy of its rows that is made before the
/// first. No step is taken back: an earlier version refuses a store that has taken one, and goes on with the copy.
package struct UpdatePlan: Sendable {
    /// Numbers of the store's schema, now and afterwards.
    package let (from, to): (Int, Int)
    /// Steps in their order; at least one.
    package let steps: [SchemaStep]
    /// Path of the copy once the update has ended.
    package let copy: String
    /// Bytes that the copy takes at most.
    package let copyBytes: Int64
    /// Bytes of the disk that it may take; below zero when part of the reserve is missing.
    package let room: Int64
    /// An earlier process made the copy, and ended before the last step.
    package let isContinued: Bool

    package var hasRoom: Bool { isContinued || copyBytes <= room }
}
