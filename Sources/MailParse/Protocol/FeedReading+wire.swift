internal import ChildProcesses
import FundCore

extension FeedReading {
    /// Bytes of all bodies of a feed together: what does not fit goes without its body.
    private static let maxBodiesBytes = 12 << 20

    private static let maxTextBytes = NewsLimits.maxTitleBytes

    func write(to writer: inout FrameWriter) -> [UInt8] {
        writer.begin(.feed)
        switch self {
        case .feed(let feed):
            writer.u8(1)
            writer.string(feed.title, max: Self.maxTextBytes)
            writer.optional(feed.siteAddress, max: LinkTarget.maxBytes)
            writer.optional(feed.minInterval?.components.seconds)
            var room = Self.maxBodiesBytes
            writer.list(feed.items) { writer, item in
                writer.string(item.key, max: NewsLimits.maxKeyBytes)
                writer.string(item.title, max: Self.maxTextBytes)
                writer.optional(item.link, max: LinkTarget.maxBytes)
                writer.optional(item.author, max: Self.maxTextBytes)
                writer.optional(item.publishedAt?.rawValue)
                let html = item.html.prefix(bytes: min(NewsLimits.maxBodyBytes, room))
                room -= html.utf8.count
                writer.string(html, max: NewsLimits.maxBodyBytes)
                writer.list(item.enclosures) { writer, enclosure in
                    writer.string(enclosure.address, max: LinkTarget.maxBytes)
                    writer.optional(enclosure.contentType, max: Wire.maxContentTypeBytes)
                    writer.optional(enclosure.size)
                }
            }
        case .page(let feeds):
            writer.u8(2)
            writer.list(feeds) { writer, feed in
                writer.string(feed.address.text, max: NewsAddress.maxBytes)
                writer.string(feed.title, max: Self.maxTextBytes)
            }
        case .outlines(let outlines):
            writer.u8(3)
            writer.list(outlines) { writer, outline in
                writer.string(outline.address, max: NewsAddress.maxBytes)
                writer.string(outline.title, max: Self.maxTextBytes)
                writer.string(outline.folder, max: Self.maxTextBytes)
            }
        case .other: writer.u8(4)
        }
        return writer.end()
    }

    /// Checks all of it: addresses must be such as `LinkTarget` writes, and texts of one line have no controls.
    /// - Parameter body: the frame behind its count.
    init(body: UnsafeRawBufferPointer) throws(FrameError) {
        var reader = FrameReader(body)
        guard try reader.u8() == Wire.Kind.feed.rawValue else { throw FrameError(what: "an answer of another kind") }
        switch try reader.u8() {
        case 1: self = .feed(try reader.feed())
        case 2: self = .page(try reader.list { (reader) throws(FrameError) in try reader.foundFeed() })
        case 3:
            self = .outlines(
                try reader.list(max: NewsLimits.maxOutlines) { (reader) throws(FrameError) in
                    FeedOutline(
                        address: try reader.string(max: NewsAddress.maxBytes),
                        title: try reader.line(max: NewsLimits.maxTitleBytes),
                        folder: try reader.line(max: NewsLimits.maxTitleBytes))
                })
        case 4: self = .other
        default: throw FrameError(what: "a document of unknown kind")
        }
        guard reader.isAtEnd else { throw FrameError(what: "an answer with a tail") }
    }
}

extension FrameReader {
    fileprivate mutating func feed() throws(FrameError) -> ParsedFeed {
        let title = try line(max: NewsLimits.maxTitleBytes)
        let site = try optionalAddress()
        let seconds = try optionalInteger()
        guard seconds.map({ (0...86_400).contains($0) }) != false else { throw FrameError(what: "an interval") }
        let items = try list(max: NewsLimits.maxDocumentItems) { (reader) throws(FrameError) in try reader.feedItem() }
        return ParsedFeed(
            title: title, siteAddress: site, minInterval: seconds.map { .seconds($0) }, items: items)
    }

    private mutating func feedItem() throws(FrameError) -> ParsedFeedItem {
        ParsedFeedItem(
            key: try string(max: NewsLimits.maxKeyBytes), title: try line(max: NewsLimits.maxTitleBytes),
            link: try optionalAddress(), author: try flag() ? try line(max: NewsLimits.maxTitleBytes) : nil,
            publishedAt: try optionalInteger().map { Timestamp($0) }, html: try string(max: NewsLimits.maxBodyBytes),
            enclosures: try list(max: NewsLimits.maxEnclosures) { (reader) throws(FrameError) in
                let (address, type) = (
                    try reader.address(), try reader.optionalString(max: Wire.maxContentTypeBytes)
                )
                guard type.map(Wire.isContentType) != false else { throw FrameError(what: "a bad content type") }
                return NewsEnclosure(address: address, contentType: type, size: try reader.optionalInteger())
            })
    }

    fileprivate mutating func foundFeed() throws(FrameError) -> FoundFeed {
        let (text, title) = (try string(max: NewsAddress.maxBytes), try line(max: NewsLimits.maxTitleBytes))
        guard let address = NewsAddress(text), address.text == text else { throw FrameError(what: "a bad address") }
        return FoundFeed(address: address, title: title)
    }

    fileprivate mutating func line(max: Int) throws(FrameError) -> String {
        let text = try string(max: max)
        guard text.label == text else { throw FrameError(what: "a line with controls") }
        return text
    }

    private mutating func optionalAddress() throws(FrameError) -> String? { try flag() ? try address() : nil }

    private mutating func address() throws(FrameError) -> String {
        let text = try string(max: LinkTarget.maxBytes)
        guard let target = LinkTarget(text), target.address == text, target.scheme == .http || target.scheme == .https
        else { throw FrameError(what: "a link to nowhere") }
        return text
    }
}
