/// Domain names in the one form that is compared: lower-case A-labels without a final dot.
package enum DomainName {
    /// Nil unless every label is 1–63 letters, digits, hyphens or underscores once U-labels are Punycode (RFC 5891
    /// §4.4). No compatibility mapping: a full-width letter makes another domain, never the ASCII one.
    package static func aLabels(_ name: String) -> String? {
        let trimmed = name.hasSuffix(".") ? String(name.dropLast()) : name
        guard !trimmed.isEmpty, trimmed.utf8.count <= 1000 else { return nil }
        if trimmed.hasPrefix("["), trimmed.hasSuffix("]"), trimmed.utf8.allSatisfy({ (33...126).contains($0) }) {
            return trimmed.lowercased()  // a domain literal, RFC 5321 §4.1.3
        }
        // Nearly all names: nothing is made for each label.
        if trimmed.utf8.allSatisfy({ isLDH($0) || $0 == .dot }) {
            let labels = trimmed.utf8.split(separator: .dot, omittingEmptySubsequences: false)
            let isName = trimmed.utf8.count <= 253 && labels.allSatisfy { (1...63).contains($0.count) }
            return isName ? ASCII.lowercased(trimmed.utf8) : nil
        }
        let labels = trimmed.split(separator: ".", omittingEmptySubsequences: false).map { aLabel(String($0)) }
        guard !labels.contains(nil) else { return nil }
        let joined = labels.compactMap { $0 }.joined(separator: ".")
        return joined.utf8.count <= 253 ? joined : nil
    }

    /// Letters, digits and hyphens (RFC 5890 §2.3.1), and what some servers add.
    private static func isLDH(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == .hyphen || byte == .underscore
    }

    private static func aLabel(_ label: String) -> String? {
        if label.utf8.allSatisfy({ $0 < 128 }) {
            let lower = label.lowercased()
            return lower.utf8.allSatisfy(isLDH) && (1...63).contains(lower.utf8.count) ? lower : nil
        }
        guard
            label.unicodeScalars.allSatisfy({
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || $0 == "-" || $0.properties.generalCategory == .nonspacingMark
                    || $0.properties.generalCategory == .spacingMark
            })
        else { return nil }
        let encoded = "xn--" + punycode(EmailAddress.composed(label).lowercased().unicodeScalars.map(\.value))
        return encoded.utf8.count <= 63 ? encoded : nil
    }

    /// RFC 3492 §6.3 with the parameters of §5.
    private static func punycode(_ input: [UInt32]) -> String {
        var output = input.filter { $0 < 128 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(.hyphen) }
        var (codePoint, delta, bias, handled) = (UInt32(128), 0, 72, basicCount)
        while handled < input.count {
            let next = input.filter { $0 >= codePoint }.min() ?? codePoint
            delta += Int(next - codePoint) * (handled + 1)
            codePoint = next
            for value in input {
                if value < codePoint { delta += 1 }
                guard value == codePoint else { continue }
                var (rest, k) = (delta, 36)
                while true {
                    let threshold = min(max(k - bias, 1), 26)
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    k += 36
                }
                output.append(digit(rest))
                bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            codePoint += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? value + 97 : value + 22) }

    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k = 0
        while delta > 455 {
            delta /= 35
            k += 36
        }
        return k + 36 * delta / (delta + 38)
    }
}
