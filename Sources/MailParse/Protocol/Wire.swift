internal import ChildProcesses
import FundCore
internal import Glibc

/// The protocol between the parser pool and its children, to the byte.
///
/// Beside standard error a child has a stream socket on descriptors 0 and 1, the pack, a file without a name, on 3, and
/// memory with messages (`MessageArea`) on 4. After `ready` the parent speaks; each request is answered by one
/// response, in their order. When the socket closes the child ends.
///
/// Everything travels in frames (`Frame`):
///
///     ready     = kind 4, u8 confinement (`ChildConfinement`), once, when the child has put its limits on itself
///     request   = kind 1, limits, i64 size of the message, optional u32 place, u8 goes on, u8 debug marks
///                 `place` says where it stands in the memory. Without one a descriptor, the message opened for
///                 reading, travels with the request's first byte (SCM_RIGHTS, unix(7)), and no other request waits.
///                 `goes on` is 1 when the pack still holds what is needed: attachments are written behind it.
///                 Debug marks are always 0 in a release build.
///     limits    = i64 maxMessageBytes, u32 maxParts, u32 maxDepth, u32 maxHeaderFields, u32 maxHeaderBytes,
///                 u32 maxFieldBytes, u32 maxAddressColons, u32 maxBoundaryBytes
///
///     refused   = kind 2, u8 reason (1 too_complex, 2 too_large, 3 unparseable), string detail, optional header,
///                 u64 defects
///     message   = kind 3, header, optional string text, optional string html, list attachment, u64 defects
///     attachment = optional string name as sent, optional string name to suggest, string content type,
///                 i64 offset, i64 count, u8 isInline, optional string Content-ID, string part path
///                 offset and count say where its decoded bytes stand in the pack.
///     defects   = bit n is set for the nth of `Defect.allCases`
///     header    = list field (from), list mailbox (to), list mailbox (cc), list string (subjects), optional i64 date,
///                 optional string Message-ID, list string (references), automatic, list trace
///     field     = list mailbox, u8 hasGroup, u8 isMalformed, string text
///     mailbox   = optional string display name, string address
///     automatic = optional string Auto-Submitted, optional string Precedence, u8 hasNullReturnPath, optional string
///                 report-type, list string (responder fields), optional string loop mark, u8 isOfList,
///                 u8 refusesAnswers
///     trace     = u8 (1 Received, 2 Authentication-Results), string
///
///     sanitize  = kind 5, i64 size of the file, u8 debug marks. The descriptor is a file that holds a `mail`.
///     mail      = string html, u8 showsRemotePictures, list picture
///     picture   = optional string Content-ID, string name, i64 bytes
///
///     sanitized = kind 6, list piece, u32 blocked pictures, u8 hasDarkColours, u8 isCut
///     piece     = u8 (1 markup, 2 picture, 3 link); of markup a string; of a picture its u32 index in `mail`; of a
///                 link string target, optional string host that its text names
///
///     read feed = kind 7, i64 size of the file, u8 debug marks. The descriptor is a file that holds a `document`.
///     document  = optional string address, optional string content type, i64 count, its bytes
///
///     feed      = kind 8, u8 (1 feed, 2 page, 3 outlines, 4 other); of a feed string title, optional string site,
///                 optional i64 seconds, list item; of a page list string address and string title; of outlines list
///                 string address, string title and string folder
///     item      = string key, string title, optional string link, optional string author, optional i64 time, string
///                 html, list enclosure
///     enclosure = string address, optional string content type, optional i64 size
///
/// The parent checks all of it (`ResponseReader`), kills a child that breaks these rules, and refuses its message.
enum Wire {
    /// Code of a kind, from 1 on: 0 stands for none.
    static func code(of kind: RelayedMail.Kind) -> UInt8 {
        UInt8((RelayedMail.Kind.allCases.firstIndex(of: kind) ?? 0) + 1)
    }

    /// Kind of a code; nil for what is none.
    static func relayKind(_ code: UInt8) -> RelayedMail.Kind? {
        let (kinds, index) = (RelayedMail.Kind.allCases, Int(code) - 1)
        return kinds.indices.contains(index) ? kinds[index] : nil
    }

    enum Kind: UInt8 { case request = 1, refused, message, ready, sanitize, sanitized, readFeed, feed }

    static let packDescriptor: Int32 = 3
    static let messagesDescriptor: Int32 = 4
    /// Many messages of usual size, or one that is as large as any that is kept in memory.
    static let messagesBytes = SpoolWriter.memoryBytes
    /// With this exit status a child says that it cannot write the pack (EX_CANTCREAT of sysexits.h).
    static let packFailureStatus: Int32 = 73
    /// A request is some 60 bytes; more is no request.
    static let maxRequestBytes = 1024
    /// Requests that wait for their response at most: all of them fit into a socket's buffer.
    static let maxWaiting = 32
    /// Both bodies (1 MiB each), a header (512 KiB raw, at most threefold when decoded, address fields twice) and names
    /// and types of 1,000 attachments fit in.
    static let maxResponseBytes = 24 << 20
    /// Bytes of a body that is kept for display; beyond it is cut and filed whole as an attachment.
    static let maxBodyBytes = 1 << 20
    /// Bytes of an attachment's name: eight times what any file system takes, and 5 KB names occur in attacks.
    static let maxNameBytes = 8192
    static let maxContentIDBytes = 1024
    static let maxContentTypeBytes = 255
    static let maxPartPathBytes = 512
    static let maxDetailBytes = 1024
    /// Bytes of a file with a `mail`: its HTML, and names of a thousand pictures.
    static let maxMailBytes = 12 << 20
    /// Pictures of a mail that its HTML may show.
    static let maxPictures = 1000

    /// Writes a line to a child's standard error, of which the parent reports the last.
    static func complain(_ what: String) {
        let line = Array("parse-worker: \(what)\n".utf8)
        _ = write(2, line, line.count)
    }

    /// `type/subtype` of lower-case tokens (RFC 2045 §5.1), as both sides want it.
    static func isContentType(_ text: String) -> Bool {
        let names = text.utf8.split(separator: .slash, omittingEmptySubsequences: false)
        return names.count == 2 && text.utf8.count <= maxContentTypeBytes
            && names.allSatisfy { name in
                !name.isEmpty
                    && name.allSatisfy {
                        ASCII.isLowercase($0) || ASCII.isDigit($0) || "!#$%&'*+-.^_`{|}~".utf8.contains($0)
                    }
            }
    }

    /// Numbers joined by dots: `2.1.3`.
    static func isPartPath(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= maxPartPathBytes else { return false }
        return text.utf8.split(separator: .dot, omittingEmptySubsequences: false).allSatisfy { number in
            (1...9).contains(number.count) && number.allSatisfy(ASCII.isDigit) && number.first != UInt8(ascii: "0")
        }
    }
}

/// A set of defects as one number.
struct DefectSet: Equatable {
    var bits: UInt64 = 0

    mutating func insert(_ defect: Defect) {
        guard let index = Self.index[defect] else { return }
        bits |= 1 << UInt64(index)
    }

    mutating func formUnion(_ defects: some Sequence<Defect>) { for defect in defects { insert(defect) } }

    /// In the order of `Defect.allCases`. Nil when a bit is set that no defect has.
    var list: [Defect]? {
        guard bits >> UInt64(Defect.allCases.count) == 0 else { return nil }
        if bits == 0 { return [] }
        return Defect.allCases.enumerated().filter { bits >> UInt64($0.offset) & 1 == 1 }.map(\.element)
    }

    private static let index = Dictionary(
        uniqueKeysWithValues: Defect.allCases.enumerated().map { ($0.element, $0.offset) })
}

extension FrameWriter {
    mutating func begin(_ kind: Wire.Kind) { begin(kind.rawValue) }
}
