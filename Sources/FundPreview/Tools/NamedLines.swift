import FundCore

/// Lines `name: value` that a program prints.
struct NamedLines {
    private var values: [String: String] = [:]

    /// - Parameter divider: between name and value. Of equal names the first one counts: what comes behind may be text
    ///   of the file.
    init(_ bytes: [UInt8], divider: UInt8) {
        for line in bytes.split(separator: .lf) {
            guard let end = line.firstIndex(of: divider) else { continue }
            let name = String(decoding: ASCII.trimmed(line[..<end]), as: UTF8.self)
            guard values[name] == nil else { continue }
            values[name] = String(decoding: ASCII.trimmed(line[(end + 1)...]), as: UTF8.self)
        }
    }

    subscript(name: String) -> String? { values[name] }
}

/// Sizes as programs say them.
enum PixelSize {
    /// Rounded; nil for what no page or picture is.
    static func whole(_ size: Double) -> Int? {
        size.isFinite && size >= 0.5 && size < 1e9 ? Int(size.rounded()) : nil
    }
}
