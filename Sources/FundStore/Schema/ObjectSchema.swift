/// The segments of the log that lie in an object store, see `ObjectSegments`.
enum ObjectSchema {
    /// `state` is a `SegmentObjectRows.State`, and `changed_at` says since when. `released_bytes` are those of the
    /// segment when it was put, -1 where some of them were still to be given back. `is_alone` says that the file of the
    /// segment was given back to the disk. `upload` is the store's name of an upload in parts that is not complete.
    static let script = """
        CREATE TABLE segment_object (
            number INTEGER NOT NULL, nonce INTEGER NOT NULL, state TEXT NOT NULL, bytes INTEGER NOT NULL,
            released_bytes INTEGER NOT NULL, is_alone INTEGER NOT NULL DEFAULT 0, changed_at INTEGER NOT NULL,
            upload TEXT, PRIMARY KEY (number, nonce)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX segment_object_whole ON segment_object (number) WHERE state = 'whole';
        """
}
