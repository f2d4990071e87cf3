internal import FundCore

/// The work that follows on a file after a piece of work.
enum PreviewPlan {
    /// Least side of a picture whose words are recognised, in pixels: smaller ones are logos and icons.
    private static let minRecognisedPixels = 600

    /// Work that follows, with the urgency of what was done or less.
    ///
    /// - Parameter recognition: nil where words in pictures are not recognised.
    static func next(
        after job: PreviewJob, _ result: PreviewResult, _ recognition: RecognitionSettings?
    ) -> [PreviewOrder] {
        guard let info = result.info, !info.isEncrypted, !result.isTriedAgain else { return [] }
        let file = PreviewedFile(digest: job.order.key.content, size: job.order.size)
        switch job.order.key.kind {
        case .thumbnail:
            switch info.type.family {
            case .pdf, .office, .text, .archive:
                return [
                    PreviewOrder(RenditionKey(file.digest, .text), size: file.size, max(job.order.priority, .fresh))
                ]
            case .picture: return self.recognition(of: file, info, text: nil, recognition, after: job)
            case .vector, .video, .audio, .unknown: return []
            }
        case .text where info.type == .pdf:
            let text = result.made.first { $0.rendition.key.kind == .text }?.bytes
            return self.recognition(of: file, info, text: text, recognition, after: job)
        case .info, .verdict, .text, .page, .large, .document, .recognised, .waveform, .fields: return []
        }
    }

    /// The pages of a file whose words are to be recognised: a picture that is large enough, and of a PDF those
    /// without text. None where that is off.
    ///
    /// - Parameters:
    ///   - text: of a PDF; nil where nothing is known of it.
    ///   - job: what was made of the file just now; nil where all files are looked at.
    static func recognition(
        of file: PreviewedFile, _ info: FileInfo, text: [UInt8]?, _ recognition: RecognitionSettings?,
        after job: PreviewJob? = nil
    ) -> [PreviewOrder] {
        guard let recognition, !info.isEncrypted else { return [] }
        let isFresh = job.map { $0.order.priority <= .fresh } ?? false
        let pages = info.type == .pdf ? emptyPages(text, info, atMost: recognition.maxPages) : pagesOfPicture(info)
        return pages.map { page in
            var order = PreviewOrder(
                RenditionKey(file.digest, .recognised, page: page), size: file.size,
                isFresh ? .freshRecognition : .recognition)
            order.recipe = recognition.recipe
            return order
        }
    }

    private static func pagesOfPicture(_ info: FileInfo) -> [Int] {
        guard info.type.family == .picture, let width = info.width, let height = info.height else { return [] }
        return min(width, height) >= minRecognisedPixels ? [1] : []
    }

    /// Pages that have no text but perhaps in their pictures.
    private static func emptyPages(_ text: [UInt8]?, _ info: FileInfo, atMost count: Int) -> [Int] {
        guard let text, let pageCount = info.pageCount else { return [] }
        let pages = PagedText.pages(of: text)
        return (1...max(1, min(pageCount, count))).filter { number in
            guard pages.indices.contains(number - 1) else { return true }
            return pages[number - 1].allSatisfy { $0 <= UInt8(ascii: " ") }
        }
    }
}
