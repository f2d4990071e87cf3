internal import FundCore

/// A value of CBOR (RFC 8949) as authenticators write it: of CTAP 2.1, §8.
enum CBORValue: Hashable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case list([CBORValue])
    case map([CBORValue: CBORValue])
    case flag(Bool)
    case null

    /// The value under a number in a map.
    subscript(key: Int64) -> CBORValue? { self[.integer(key)] }

    /// The value under a name in a map.
    subscript(key: String) -> CBORValue? { self[.text(key)] }

    private subscript(key: CBORValue) -> CBORValue? {
        guard case .map(let entries) = self else { return nil }
        return entries[key]
    }

    var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}

/// Reads CBOR strictly: lengths are known and as short as they can be, keys are distinct numbers or texts, texts are
/// UTF-8, and nothing is nested deeper than authenticators may. There are no tags and no fractions.
struct CBORReader {
    /// Levels of lists and maps (CTAP 2.1, §8).
    static let maxDepth = 4

    /// The bytes behind what was read.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The one value that all of the bytes are. Throws `malformed`.
    static func value(of bytes: [UInt8]) throws(WebAuthnError) -> CBORValue {
        var reader = CBORReader(bytes[...])
        let value = try reader.next()
        guard reader.rest.isEmpty else { throw .malformed }
        return value
    }

    /// The next value. Throws `malformed`.
    mutating func next() throws(WebAuthnError) -> CBORValue { try value(atDepth: 0) }

    // RFC 8949 §3.1.
    private enum Major: UInt8 {
        case unsigned, negative, bytes, text, list, map, tag, simple
    }

    private static let (falseInfo, trueInfo, nullInfo): (UInt8, UInt8, UInt8) = (20, 21, 22)

    private mutating func value(atDepth depth: Int) throws(WebAuthnError) -> CBORValue {
        let first = try byte()
        guard let major = Major(rawValue: first >> 5) else { throw .malformed }
        let info = first & 0x1F
        switch major {
        case .unsigned: return .integer(try number(info))
        case .negative: return .integer(-1 - (try number(info)))
        case .bytes: return .bytes(Array(try take(try number(info))))
        case .text:
            // Other texts take quadratic time as a key.
            guard let text = String(validating: try take(try number(info)), as: UTF8.self), text.isStreamSafe else {
                throw .malformed
            }
            return .text(text)
        case .list, .map:
            guard depth < Self.maxDepth else { throw .malformed }
            let count = try count(info)
            return major == .list ? try list(of: count, depth + 1) : try map(of: count, depth + 1)
        case .simple:
            switch info {
            case Self.falseInfo: return .flag(false)
            case Self.trueInfo: return .flag(true)
            case Self.nullInfo: return .null
            default: throw .malformed
            }
        case .tag: throw .malformed
        }
    }

    private mutating func list(of count: Int, _ depth: Int) throws(WebAuthnError) -> CBORValue {
        var items: [CBORValue] = []
        for _ in 0..<count { items.append(try value(atDepth: depth)) }
        return .list(items)
    }

    private mutating func map(of count: Int, _ depth: Int) throws(WebAuthnError) -> CBORValue {
        var entries: [CBORValue: CBORValue] = [:]
        for _ in 0..<count {
            let key = try value(atDepth: depth)
            guard key.integer != nil || key.text != nil, entries[key] == nil else { throw .malformed }
            entries[key] = try value(atDepth: depth)
        }
        return .map(entries)
    }

    /// A number in the shortest form that holds it (RFC 8949 §4.2.1).
    private mutating func number(_ info: UInt8) throws(WebAuthnError) -> Int64 {
        // 24...27: the number stands in the next 1, 2, 4 or 8 bytes.
        let firstLong: UInt8 = 24
        guard info >= firstLong else { return Int64(info) }
        guard info <= firstLong + 3 else { throw .malformed }
        let width = 1 << Int(info - firstLong)
        let number = try take(Int64(width)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 = width == 1 ? UInt64(firstLong) : 1 << UInt64(4 * width)
        guard number >= least, number <= UInt64(Int64.max) else { throw .malformed }
        return Int64(number)
    }

    /// The count of what follows, of which each takes one byte at least.
    private mutating func count(_ info: UInt8) throws(WebAuthnError) -> Int {
        let count = try number(info)
        guard count <= rest.count else { throw .malformed }
        return Int(count)
    }

    private mutating func byte() throws(WebAuthnError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .malformed }
        return byte
    }

    private mutating func take(_ count: Int64) throws(WebAuthnError) -> ArraySlice<UInt8> {
        guard count <= Int64(rest.count) else { throw .malformed }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
