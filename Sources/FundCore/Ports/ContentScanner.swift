/// Looks for malware.
package protocol ContentScanner: Sendable {
    /// Looks at the bytes of an open file, from 0 to its end, which may take minutes. What fails is `unscanned`, as is
    /// what is cancelled.
    func verdict(of descriptor: Int32, size: Int64) async -> Verdict
    /// The same without a file, for what there is no room to copy. Throws what reading the content throws.
    func verdict(of content: any StoredContent) async throws -> Verdict
    /// The version of the signatures, which grows; nil when the scanner cannot be asked, or what it last said does not
    /// count.
    func signatures() async -> ScannerSignatures?
}
