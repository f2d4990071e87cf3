/// The part of the store that keeps renditions and the work that is to make them. All of it can be made again: it may
/// be emptied at any time, and what is damaged counts as absent. Errors are `StoreError`.
package protocol PreviewRegister: Sendable {
    // Looking.
    /// Summaries of the thumbnails of these contents; contents without one are not in the answer.
    func summaries(of contents: [ContentDigest]) async throws -> [ContentDigest: PreviewSummary]
    /// The type and measures of a file; nil where no converter has looked at it.
    func info(of content: ContentDigest) async throws -> FileInfo?
    /// The latest; nil where the content was never scanned.
    func verdict(of content: ContentDigest) async throws -> Verdict?
    /// Nil where it was never tried, or is gone.
    func state(of key: RenditionKey) async throws -> RenditionState?
    /// The bytes, compared with their digest. Nil where they are missing or damaged: then it counts as absent from now
    /// on.
    func bytes(of rendition: Rendition) async throws -> [UInt8]?

    // Work.
    /// Adds work that is not there yet, and raises the priority of what is, up to `PreviewOrder.maxWaiting` and
    /// `maxAsked`. Gives how many it took, those included that name a recipe by which it is done already.
    func enqueue(_ orders: [PreviewOrder], at time: Timestamp) async throws -> Int
    /// Work that is waiting and matches, marked as being done: the most urgent, and of that the oldest, unless the
    /// filter wants the latest. Nil for none.
    ///
    /// - Parameter ordering: given the users whose work waits at the highest urgency, says in which order they come;
    ///   who is left out gets none this time.
    func take(
        _ filter: PreviewJobFilter, at time: Timestamp, ordering: @escaping @Sendable ([User.ID?]) -> [User.ID?]
    ) async throws -> PreviewJob?
    /// Keeps what came of a piece of work, ends it, and adds what follows where that was not done yet: all or nothing.
    func finish(
        _ job: PreviewJob, with result: PreviewResult, then orders: [PreviewOrder], at time: Timestamp) async throws
    /// Has the work wait again, until `time` at least.
    func postpone(_ job: PreviewJob, family: TrueType.Family?, until time: Timestamp) async throws
    /// The scanner is there, but failed at the file of this work: its scan waits again, longer each time
    /// (`FailedScan.waits`). After the last one it is no work any more: `enqueueRescans` has it tried again.
    ///
    /// - Parameters:
    ///   - job: the scan.
    ///   - problem: in words for an administrator.
    ///   - signatures: the version by which it was tried.
    func noteFailedScan(_ job: PreviewJob, problem: String, signatures: Int64, at time: Timestamp) async throws
    /// Has the work wait until its content was scanned, but `wait` at most, and orders that scan where none waits.
    func postponeUntilScanned(_ job: PreviewJob, at time: Timestamp, atMost wait: Duration) async throws
    /// Contents at which the scanner failed each time, and where a store holds what was not scanned also those of which
    /// it did not look at all: the latest first, at most `limit`. Those that have a verdict of earlier signatures are
    /// not among them, nor those that were released.
    func failedScans(limit: Int) async throws -> [FailedScan]
    /// Number of orders that wait before this one.
    func waiting(before key: RenditionKey) async throws -> Int
    /// Has all work wait again that was being done when its process ended, and removes what that wrote in part. To be
    /// called by the only process that works, before it begins.
    func resumeWork() async throws
    /// Claims the work for this process until the register is closed; false when another has it.
    func claimWork() async throws -> Bool
    /// Adds work for the thumbnails of at most `limit` files that had none yet, and remembers how far that went. Gives
    /// how many files those were; 0 when there are no more, and while so much waits that no more is taken.
    func enqueueFiles(_ part: FeedPart, limit: Int, at time: Timestamp) async throws -> Int
    /// Adds scans of contents that have no verdict, as `enqueueFiles` adds thumbnails.
    func enqueueScans(_ part: FeedPart, limit: Int, at time: Timestamp) async throws -> Int
    /// Adds scans of raw messages that were not filed, the earliest first: administrators read them.
    func enqueueScansOfKeptMail(limit: Int, at time: Timestamp) async throws -> Int
    /// Has `enqueueScans` begin with the old contents again. An id may belong to another content by now, which came
    /// between two calls.
    func lookAtAllContentsAgain() async throws
    /// Adds work for at most `limit` contents whose verdict is of older signatures than these, the latest first, and
    /// for those at which the scanner failed, `FailedScan.pause` after that. Gives how many those were.
    func enqueueRescans(signatures: Int64, limit: Int, at time: Timestamp) async throws -> Int

    /// Takes away work that is to recognise words on later pages than this one; nil: all of it, and forgets
    /// `recognitionPlan`.
    func limitRecognition(toPages count: Int?) async throws
    /// Which pages are recognised and how, as the last caller of `setRecognitionPlan` said; nil where none did, and
    /// when a failure to recognise words was forgotten since.
    func recognitionPlan() async throws -> Int64?
    /// Notes that all pages were ordered that the plan has.
    func setRecognitionPlan(_ plan: Int64) async throws
    /// The next files by their digests that may have words in pictures: PDF, and pictures. `last`: nil when there are
    /// no more; otherwise what to go on from.
    func recognisable(
        after content: ContentDigest?, limit: Int
    ) async throws -> (files: [(file: PreviewedFile, info: FileInfo)], last: ContentDigest?)

    // Keeping.
    /// The room of all renditions, and the waiting work. Takes some ms for 100,000 of them.
    func status() async throws -> PreviewStatus
    /// Number of orders of these priorities that wait or are being done.
    func countWaiting(_ priorities: Set<PreviewOrder.Priority>) async throws -> Int
    /// Where all renditions take more than `limit` bytes: removes pages, then documents, then thumbnails, the least
    /// used first, until `bytes` are left at the most. Gives how many it removed. Also keeps which were used lately.
    func evict(above limit: Int64, downTo bytes: Int64) async throws -> Int
    /// Removes what was made of contents that the store does not have any more. Gives how many contents those were.
    func sweep() async throws -> Int
    /// Failures of these reasons are forgotten, so that they are tried again when they are asked for; nil for all
    /// reasons. Gives how many those were.
    func forgetFailures(_ reasons: Set<RenditionFailure>?) async throws -> Int
    /// Forgets the failures of recipes before this one; recognition has recipes of its own.
    func forgetFailures(before recipe: Int) async throws
    /// Removes everything but the verdicts, which are no previews.
    func removeAll() async throws
    /// How often failures were forgotten or everything was removed, by any process: after another number, what was
    /// known may hold no more.
    func resetCount() async throws -> Int64
}

/// The files or contents that are looked at for work.
package enum FeedPart: Sendable, Hashable {
    /// Files that came or changed since the last call.
    case new
    /// Files that were there before, the latest first.
    case old
}

/// The state of a rendition that was tried.
package enum RenditionState: Sendable, Hashable {
    case ready(Rendition)
    case failed(RenditionFailure)
}

extension PreviewRegister {
    /// The oldest of the most urgent work, of any user.
    package func take(_ filter: PreviewJobFilter, at time: Timestamp) async throws -> PreviewJob? {
        try await take(filter, at: time) { $0 }
    }
}
