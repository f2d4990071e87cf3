/// The answer to a request for a rendition.
package enum PreviewAnswer: Sendable {
    case ready(PreviewContent)
    /// Not made within the time; `ahead` others wait before it.
    case making(ahead: Int)
    case failed(RenditionFailure)
    /// The queue is full.
    case full
}

/// The bytes of a rendition.
package struct PreviewContent: Sendable {
    package var rendition: Rendition
    package var bytes: [UInt8]

    package init(_ rendition: Rendition, bytes: [UInt8]) {
        self.rendition = rendition
        self.bytes = bytes
    }
}
