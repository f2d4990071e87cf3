/// The previews of a file, as lists tell of them. A class: lists hand on hundreds.
package final class PreviewSummary: Sendable {
    /// The state of the thumbnail.
    package enum State: Sendable, Hashable {
        /// The thumbnail is waiting, or is being made.
        case making
        /// The thumbnail is there.
        case ready
        /// There is none.
        case failed(RenditionFailure)
    }

    package let state: State
    /// Type and measures of the file; nil while no converter has looked at it.
    package let info: FileInfo?
    /// Width and height of the thumbnail in pixels, or of its original.
    package let proportions: (width: Int, height: Int)?
    /// The summary as the JSON member `preview` of lists, before and behind the number of the file in its address.
    /// Written once: lists show a summary many times.
    package let json: (start: [UInt8], end: [UInt8])

    /// - Parameters:
    ///   - content: of the file.
    ///   - width: of the thumbnail in pixels; nil as long as there is none.
    ///   - height: the same.
    package init(
        _ state: State, of content: ContentDigest, info: FileInfo? = nil, width: Int? = nil, height: Int? = nil
    ) {
        self.state = state
        self.info = info
        proportions = Self.proportions(width, height) ?? Self.proportions(info?.width, info?.height)
        var json = JSONWriter(reserving: 192)
        json.key("preview")
        json.beginObject()
        switch state {
        case .making: json.field("state", "making")
        case .ready: json.field("state", "ready")
        case .failed(let failure):
            json.field("state", "failed")
            json.field("reason", failure.rawValue)
        }
        if let info {
            json.field("type", info.type.rawValue)
            if let count = info.pageCount { json.field("pages", count) }
            if let milliseconds = info.milliseconds { json.field("duration_ms", milliseconds) }
        }
        if let (width, height) = proportions {
            json.field("width", width)
            json.field("height", height)
        }
        json.key("url")
        self.json = (
            json.bytes + Array("\"/api/v1/files/".utf8),
            Array("/preview?v=\(PreviewVersion.text(of: content))\"}".utf8)
        )
    }

    private static func proportions(_ width: Int?, _ height: Int?) -> (width: Int, height: Int)? {
        guard let width, let height, width > 0, height > 0 else { return nil }
        return (width, height)
    }
}
