package import FundCore
internal import Synchronization

/// Previews as the server's interfaces ask for them.
package final class PreviewService: PreviewSource {
    /// How long a summary is given again without a look at the register.
    private static let maxSummaryAge = Duration.seconds(30)
    /// Between two looks whether a process, such as `fundmail preview retry`, has taken back what was known.
    private static let resetPause = Duration.seconds(1)
    private static let maxSummaries = 50_000
    /// Thumbnails that lists wait for in memory: more are asked for when the list is shown again.
    private static let maxListed = 10_000

    /// Summary of a file that is looked for in the register.
    private static let placeholder = PreviewSummary(.making, of: .of([]))

    private struct State {
        /// Final summaries: made, or impossible.
        var summaries: [ContentDigest: (summary: PreviewSummary, at: ContinuousClock.Instant)] = [:]
        /// See `PreviewRegister.resetCount`; nil before the first look.
        var resets: Int64?
        var lookedForResetsAt: ContinuousClock.Instant?
        var listed: Set<PreviewedFile> = []
        var isOrdering = false
    }

    private let workers: PreviewWorkers
    private let state = Mutex(State())

    package var news: PreviewNews { workers.news }
    private var register: any PreviewRegister { workers.register }

    package init(_ workers: PreviewWorkers) { self.workers = workers }

    package func noteUse() { workers.noteUse() }

    package func summaries(of files: [PreviewedFile]) async throws -> [PreviewSummary] {
        let now = ContinuousClock.now
        var (found, missing): ([PreviewSummary], [Int]) = ([], [])
        found.reserveCapacity(files.count)
        await forgetWhatWasReset(now)
        let resets = state.withLock { state in
            for (index, file) in files.enumerated() {
                if let known = state.summaries[file.digest], now - known.at < Self.maxSummaryAge {
                    found.append(known.summary)
                } else {
                    found.append(Self.placeholder)
                    missing.append(index)
                }
            }
            return state.resets
        }
        guard !missing.isEmpty else { return found }
        let looked = try await register.summaries(of: missing.map { files[$0].digest })
        var wanted: [PreviewedFile] = []
        for index in missing {
            found[index] = looked[files[index].digest] ?? PreviewSummary(.making, of: files[index].digest)
            if found[index].state == .making { wanted.append(files[index]) }
        }
        state.withLock { state in
            if state.summaries.count + looked.count > Self.maxSummaries { state.summaries = [:] }
            // A summary that was read before a reset is not kept: others may have seen the reset.
            for (digest, summary) in looked where summary.state != .making && state.resets == resets {
                state.summaries[digest] = (summary, now)
            }
            if state.listed.count + wanted.count <= Self.maxListed { state.listed.formUnion(wanted) }
        }
        orderListed()
        return found
    }

    /// A short question, at most once within `resetPause`; the lists in between go on with what they have.
    private func forgetWhatWasReset(_ now: ContinuousClock.Instant) async {
        let isDue = state.withLock { state in
            if let last = state.lookedForResetsAt, now - last < Self.resetPause { return false }
            state.lookedForResetsAt = now
            return true
        }
        guard isDue, let count = try? await register.resetCount() else { return }
        state.withLock { state in
            if let known = state.resets, known != count { state.summaries = [:] }
            state.resets = count
        }
    }

    /// Orders what lists wait for, apart from the lists: one transaction for what several of them asked.
    private func orderListed() {
        let isFirst = state.withLock { state in
            defer { state.isOrdering = state.isOrdering || !state.listed.isEmpty }
            return !state.isOrdering && !state.listed.isEmpty
        }
        guard isFirst else { return }
        Task { [self] in
            while true {
                let files = state.withLock { state in
                    defer { state.listed = [] }
                    state.isOrdering = !state.listed.isEmpty
                    return state.listed
                }
                guard !files.isEmpty else { return }
                let orders = files.map {
                    PreviewOrder(RenditionKey($0.digest, .thumbnail), size: $0.size, .listed).with(user: $0.user)
                }
                // A failed order is repeated by the next list.
                _ = try? await register.enqueue(orders, at: .now)
                workers.wake.raise()
            }
        }
    }

    package func picture(
        _ kind: RenditionKind, page: Int, of file: PreviewedFile, waitingAtMost wait: Duration
    ) async throws -> PreviewAnswer {
        // Without a piece of work, and a row, for each page that a request makes up.
        let count = page > 1 ? try await register.info(of: file.digest).flatMap(Self.pageCount) : nil
        if let count, page > count { return .failed(.unsupported) }
        let answer = try await made(RenditionKey(file.digest, kind, page: page), of: file, waitingAtMost: wait)
        // A full disk, for example, is no reason not to give what is there.
        if case .ready = answer, kind == .page { try? await orderNext(after: page, of: count, file) }
        return answer
    }

    /// Nil where it has to be found out.
    private static func pageCount(_ info: FileInfo) -> Int? {
        switch info.type.family {
        case .pdf, .office, .unknown: info.pageCount
        case .text, .archive, .picture, .vector, .video, .audio: info.pageCount ?? 1
        }
    }

    /// The page after the one that is read is made before it is asked for.
    /// - Parameter count: of pages; nil where that has to be looked up.
    private func orderNext(after page: Int, of count: Int?, _ file: PreviewedFile) async throws {
        let key = RenditionKey(file.digest, .page, page: page + 1)
        let known: Int? = if let count { count } else { try await register.info(of: file.digest)?.pageCount }
        guard let known, key.page <= known, try await register.state(of: key) == nil else { return }
        _ = try await register.enqueue([PreviewOrder(key, size: file.size, .listed).with(user: file.user)], at: .now)
        workers.wake.raise()
    }

    package func text(
        page: Int, of file: PreviewedFile, waitingAtMost wait: Duration
    ) async throws -> PreviewAnswer {
        let answer = try await made(RenditionKey(file.digest, .text), of: file, waitingAtMost: wait)
        guard case .ready(var content) = answer else { return answer }
        let pages = PagedText.pages(of: content.bytes)
        content.bytes = pages.indices.contains(page - 1) ? Array(pages[page - 1]) : []
        return .ready(content)
    }

    package func waveform(of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer {
        try await made(RenditionKey(file.digest, .waveform), of: file, waitingAtMost: wait)
    }

    package func fields(of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer {
        try await made(RenditionKey(file.digest, .fields), of: file, waitingAtMost: wait)
    }

    package func marked(_ picture: PreviewContent, with text: String) async throws -> [UInt8] {
        try await workers.marked(picture, with: Watermark(text: text))
    }

    package var makesDocuments: Bool { ToolInventory.isInstalled("soffice") }

    package func document(ofHTML html: [UInt8]) async throws -> [UInt8] { try await workers.document(ofHTML: html) }

    package func transientFile(
        of size: Int64?, atMost most: Int64, reading read: @escaping PieceReading
    ) async throws -> any TransientFile {
        try await workers.transientFile(of: size, atMost: most, reading: read)
    }

    private func made(
        _ key: RenditionKey, of file: PreviewedFile, waitingAtMost wait: Duration
    ) async throws -> PreviewAnswer {
        let deadline = ContinuousClock.now + wait
        var isOrdered = false
        while true {
            // Read before the register: what ends meanwhile ends the wait below at once.
            let known = workers.finished.count
            switch try await register.state(of: key) {
            case .ready(let rendition)?:
                if let bytes = try await register.bytes(of: rendition) {
                    workers.note { if isOrdered { $0.misses += 1 } else { $0.hits += 1 } }
                    return .ready(PreviewContent(rendition, bytes: bytes))
                }
            case .failed(let failure)?: return .failed(failure)
            case nil: break
            }
            if !isOrdered {
                let taken = try await register.enqueue(
                    [PreviewOrder(key, size: file.size, .asked).with(user: file.user)], at: .now)
                guard taken > 0 else { return .full }
                isOrdered = true
                workers.wake.raise()
            }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { break }
            await workers.finished.wait(after: known, atMost: left)
            try Task.checkCancellation()
        }
        workers.note { $0.timeouts += 1 }
        return .making(ahead: try await register.waiting(before: key))
    }
}
