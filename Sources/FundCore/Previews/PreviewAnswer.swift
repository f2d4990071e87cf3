/// What came of asking for a rendition.
package enum PreviewAnswer: Sendable {
    case ready(PreviewContent)
    /// Not made within the time; so many wait before it.
    case making(ahead: Int)
    case failed(RenditionFailure)
    /// So many wait that no more is taken.
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
