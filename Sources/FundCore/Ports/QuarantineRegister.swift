/// The part of the store that knows which contents are kept from people. It holds for all who have the content, over
/// every interface: `ContentReading.content` throws `quarantined` for it, and for each message that carries it. Errors
/// are `StoreError`.
package protocol QuarantineRegister: Sendable {
    /// From now on it is refused to all users. Does nothing for one that was released with the same name of malware.
    func quarantine(_ content: ContentDigest, malware: String, at time: Timestamp) async throws
    /// A later look found nothing: it is not refused any more. What was released stays so.
    func noteClean(_ content: ContentDigest) async throws
    /// An administrator releases it, which the audit trail names: also one that is held because it was not scanned.
    /// `notFound` for one that is not kept from people.
    func release(_ content: ContentDigest, actor: String) async throws
    /// The quarantined ones, the latest first, then those that were released.
    func quarantined(_ page: PageQuery) async throws -> ListPage<QuarantinedContent>
    /// True when malware was found in the content and no administrator released it.
    func isQuarantined(_ content: ContentDigest) async throws -> Bool
    /// The reason for which the content is refused at present; nil for one that is given.
    func refusal(of content: ContentDigest) async throws -> ContentRefusal?
    /// Number of quarantined contents.
    func quarantineCount() async throws -> Int
}
