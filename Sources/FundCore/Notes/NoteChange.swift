/// A change to a note; nil leaves a field.
package struct NoteChange: Sendable, Hashable {
    /// Nil stays as it is at the moment of the change.
    package var title: String?
    package var content: String?
    /// `modifiedAt` of the note that the change was made to; nil changes it whatever it is by now.
    package var unlessChangedSince: Timestamp?

    package init(title: String?, content: String?, unlessChangedSince: Timestamp? = nil) {
        self.title = title
        self.content = content
        self.unlessChangedSince = unlessChangedSince
    }
}
