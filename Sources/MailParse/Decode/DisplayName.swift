package import Ingest

/// A name under which a file can be shown and offered, made of the name that came by mail.
package enum DisplayName {
    /// - Parameter fallbackStem: what a nameless part is called, without extension: `part-2.1`.
    package static func make(
        sentName: String?, contentType: String, fallbackStem: String
    ) -> (name: String, defects: Set<Defect>) {
        (fallbackStem, [])
    }
}
