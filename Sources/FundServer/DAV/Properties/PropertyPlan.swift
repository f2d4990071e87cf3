internal import FundHTTP
internal import HTTPTypes
internal import FundCore

/// The properties to write for each item of a PROPFIND, prepared once for all items.
struct PropertyPlan: Sendable {
    private enum Wanted: Sendable {
        case live(LiveProperty)
        case dead(MarkupName, key: String)
    }

    private let request: PropfindRequest
    private let wanted: [Wanted]

    /// Must be set before anything is written if `needsStorageUse`.
    var storageUse: StorageUse?

    init(_ request: PropfindRequest) {
        self.request = request
        let named: [MarkupName] =
            switch request {
            case .names: LiveProperty.allCases.map { .dav($0.rawValue) }
            case .all(let included):
                LiveProperty.ofAll.map { .dav($0.rawValue) }
                    + included.filter { LiveProperty($0).map(\.isQuota) ?? true }
            case .some(let names): names
            }
        wanted = named.map { name in LiveProperty(name).map { .live($0) } ?? .dead(name, key: name.key) }
    }

    /// Whether the dead properties have to be fetched.
    var needsDeadProperties: Bool {
        if case .some = request {
            return wanted.contains { if case .dead = $0 { true } else { false } }
        }
        return true
    }

    /// Only when asked for by name.
    var needsChecksums: Bool { asks(for: ChecksumProperty.name) }
    var needsWindowsTimes: Bool { asks(for: WindowsProperty.modifiedAt) }
    var needsStorageUse: Bool {
        !isNames && wanted.contains { if case .live(let property) = $0 { property.isQuota } else { false } }
    }

    private func asks(for name: MarkupName) -> Bool {
        wanted.contains { if case .dead(name, _) = $0 { true } else { false } }
    }

    /// `response` (RFC 4918 §14.24) for one item.
    /// - Parameter locks: the `activelock` elements; nil when they exceed the bound of the response.
    func write(
        _ item: LibraryItem?, href: String, dead: [String: String], locks: MarkupWriter?, to writer: inout MarkupWriter
    ) {
        writer.raw("<D:response><D:href>")
        writer.raw(href)
        writer.raw("</D:href><D:propstat><D:prop>")
        var missing: [Wanted] = []
        var untold: [Wanted] = []
        for one in wanted {
            switch one {
            case .live(let property) where !property.isThere(for: item): missing.append(one)
            case .live(let property) where isNames: writer.raw("<D:\(property.rawValue)/>")
            case .live(.lockdiscovery):
                guard let locks else {
                    untold.append(one)
                    continue
                }
                writer.raw("<D:lockdiscovery>")
                writer.append(locks)
                writer.raw("</D:lockdiscovery>")
            case .live(let property) where property.isQuota: write(property, storageUse, to: &writer)
            case .live(let property): property.write(item, to: &writer)
            case .dead(_, let key):
                if let value = dead[key] { writer.raw(value) } else { missing.append(one) }
            }
        }
        if !dead.isEmpty { writeOtherDead(dead, to: &writer) }
        writer.raw("</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>")
        // Only for properties asked for by name; `allprop` lists those that exist.
        if case .some = request, !missing.isEmpty { Self.write(missing, .notFound, to: &writer) }
        if !untold.isEmpty { Self.write(untold, .insufficientStorage, to: &writer) }
        writer.raw("</D:response>")
    }

    private func write(_ property: LiveProperty, _ use: StorageUse?, to writer: inout MarkupWriter) {
        guard let use else { return }
        let bytes = property == .quotaUsed ? use.used : use.available
        writer.element("D:\(property.rawValue)", String(bytes))
    }

    private var isNames: Bool { if case .names = request { true } else { false } }

    private func writeOtherDead(_ dead: [String: String], to writer: inout MarkupWriter) {
        switch request {
        case .some: break
        case .names: for key in dead.keys.sorted() { MarkupName(key: key)?.writeEmpty(to: &writer) }
        case .all(let included):
            let written = Set(included.map(\.key))
            for (key, value) in dead.sorted(by: { $0.key < $1.key }) where !written.contains(key) { writer.raw(value) }
        }
    }

    private static func write(_ missing: [Wanted], _ status: HTTPResponse.Status, to writer: inout MarkupWriter) {
        writer.raw("<D:propstat><D:prop>")
        for one in missing {
            switch one {
            case .live(let property): writer.raw("<D:\(property.rawValue)/>")
            case .dead(let name, _): name.writeEmpty(to: &writer)
            }
        }
        writer.raw("</D:prop>")
        writer.element("D:status", status.line)
        writer.raw("</D:propstat>")
    }
}

extension MarkupName {
    /// An empty element of this name.
    func writeEmpty(to writer: inout MarkupWriter) {
        writer.raw("<\(local) xmlns=\"")
        writer.escaped(namespace, inAttribute: true)
        writer.raw("\"/>")
    }
}
