/// Looks for malware.
package protocol ContentScanner: Sendable {
    /// Looks at the bytes of an open file, from 0 to its end, which may take minutes. What fails is `unscanned`, as is
    /// what is cancelled.
    func verdict(of descriptor: Int32, size: Int64) async -> Verdict
    /// Scans a content without a file, where there is no room for a copy. Throws the errors of reading the content.
    func verdict(of content: any StoredContent) async throws -> Verdict
    /// The version of the signatures, which grows; nil when the scanner cannot be asked, or what it last said does not
    /// count.
    func signatures() async -> ScannerSignatures?
}
