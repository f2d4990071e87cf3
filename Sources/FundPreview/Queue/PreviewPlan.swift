internal import FundCore

/// What is to be made of a file after something was.
enum PreviewPlan {
    /// Of one file, pages whose words are recognised.
    private static let maxRecognisedPages = 50
    /// Of one side of a picture whose words are recognised, in pixels: smaller ones are logos and icons.
    private static let minRecognisedPixels = 600

    /// Work that follows, with the urgency of what was done or less.
    static func next(after job: PreviewJob, _ result: PreviewResult) -> [PreviewOrder] {
        guard let info = result.info, !info.isEncrypted, !result.isTriedAgain else { return [] }
        let content = job.order.key.content
        func order(_ kind: RenditionKind, page: Int = 1, _ least: PreviewOrder.Priority) -> PreviewOrder {
            PreviewOrder(
                RenditionKey(content, kind, page: page), size: job.order.size, max(job.order.priority, least))
        }
        switch job.order.key.kind {
        case .thumbnail:
            switch info.type.family {
            case .pdf, .office, .text, .archive: return [order(.text, .fresh)]
            case .picture:
                guard let width = info.width, let height = info.height,
                    min(width, height) >= minRecognisedPixels
                else { return [] }
                return [order(.recognised, .recognition)]
            case .vector, .video, .audio, .unknown: return []
            }
        case .text where info.type == .pdf:
            return emptyPages(result, info).map { order(.recognised, page: $0, .recognition) }
        case .info, .verdict, .text, .page, .large, .document, .recognised, .fields: return []
        }
    }

    /// Pages that have no text but perhaps in their pictures.
    private static func emptyPages(_ result: PreviewResult, _ info: FileInfo) -> [Int] {
        guard let text = result.made.first(where: { $0.rendition.key.kind == .text })?.bytes, let count = info.pageCount
        else { return [] }
        let pages = PagedText.pages(of: text)
        return (1...max(1, min(count, maxRecognisedPages))).filter { number in
            guard pages.indices.contains(number - 1) else { return true }
            return pages[number - 1].allSatisfy { $0 <= UInt8(ascii: " ") }
        }
    }
}
