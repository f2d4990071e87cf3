internal import HTTPTypes
internal import Ingest

/// What to write for each item of a PROPFIND, worked out once for all of them.
struct PropertyPlan: Sendable {
    private enum Wanted: Sendable {
        case live(LiveProperty)
        case dead(MarkupName, key: String)
    }

    private let request: PropfindRequest
    private let wanted: [Wanted]

    init(_ request: PropfindRequest) {
        self.request = request
        let named: [MarkupName] =
            switch request {
            case .names: LiveProperty.allCases.map { .dav($0.rawValue) }
            case .all(let included):
                LiveProperty.allCases.map { .dav($0.rawValue) } + included.filter { LiveProperty($0) == nil }
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

    /// Only where it is asked for by name.
    var needsChecksums: Bool {
        wanted.contains { if case .dead(ChecksumProperty.name, _) = $0 { true } else { false } }
    }

    /// `response` (RFC 4918 §14.24) for one item; `writeLocks` writes the `activelock` elements.
    func write(
        _ item: LibraryItem?, href: String, dead: [String: String], to writer: inout MarkupWriter,
        writeLocks: (inout MarkupWriter) -> Void
    ) {
        writer.raw("<D:response><D:href>")
        writer.raw(href)
        writer.raw("</D:href><D:propstat><D:prop>")
        var missing: [Wanted] = []
        for one in wanted {
            switch one {
            case .live(let property) where !property.isThere(for: item): missing.append(one)
            case .live(let property) where isNames: writer.raw("<D:\(property.rawValue)/>")
            case .live(.lockdiscovery):
                writer.raw("<D:lockdiscovery>")
                writeLocks(&writer)
                writer.raw("</D:lockdiscovery>")
            case .live(let property): property.write(item, to: &writer)
            case .dead(_, let key):
                if let value = dead[key] { writer.raw(value) } else { missing.append(one) }
            }
        }
        if !dead.isEmpty { writeOtherDead(dead, to: &writer) }
        writer.raw("</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>")
        // Asked for by name; of everything, only what is there.
        if case .some = request, !missing.isEmpty { Self.write(missing, to: &writer) }
        writer.raw("</D:response>")
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

    private static func write(_ missing: [Wanted], to writer: inout MarkupWriter) {
        writer.raw("<D:propstat><D:prop>")
        for one in missing {
            switch one {
            case .live(let property): writer.raw("<D:\(property.rawValue)/>")
            case .dead(let name, _): name.writeEmpty(to: &writer)
            }
        }
        writer.raw("</D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>")
    }
}

extension MarkupName {
    /// An element of this name without anything in it.
    func writeEmpty(to writer: inout MarkupWriter) {
        writer.raw("<\(local) xmlns=\"")
        writer.escaped(namespace, inAttribute: true)
        writer.raw("\"/>")
    }
}
