import FundCore

/// Seven-bit East Asian encodings rewritten into eight-bit ones that iconv knows better.
enum JapaneseEscapes {
    private enum Mode { case ascii, kana, kanji, supplement }

    /// ISO-2022-JP (RFC 1468, with the kana and vendor rows of Windows' variants) as EUC-JP.
    static func eucJP(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var mode = Mode.ascii
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .escape {
                let rest = bytes[index...].dropFirst()
                if rest.starts(with: "$(D".utf8) {
                    (mode, index) = (.supplement, index + 4)
                } else if rest.starts(with: "$@".utf8) || rest.starts(with: "$B".utf8) {
                    (mode, index) = (.kanji, index + 3)
                } else if rest.starts(with: "(I".utf8) {
                    (mode, index) = (.kana, index + 3)
                } else if rest.first == .openParenthesis, rest.count >= 2 {
                    (mode, index) = (.ascii, index + 3)
                } else {
                    index += 1
                }
                continue
            }
            index += 1
            if byte == .lf || byte == .cr { mode = .ascii }
            guard ASCII.isVisible(byte), mode != .ascii else {
                // No octet of ISO-2022-JP: iconv would make an invisible control of it; 0xFF is invalid in EUC-JP.
                output.append((0x80...0x9F).contains(byte) ? 0xFF : byte)
                continue
            }
            switch mode {
            case .kana: output.append(contentsOf: [0x8E, byte | 0x80])
            case .kanji: output.append(byte | 0x80)
            case .supplement:
                guard index < bytes.count else { break }
                output.append(contentsOf: [0x8F, byte | 0x80, bytes[index] | 0x80])
                index += 1
            case .ascii: break
            }
        }
        return output
    }

    /// HZ (RFC 1843) as GB 2312.
    static func gbFromHZ(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var (isShifted, index) = (false, 0)
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "~"), index < bytes.count {
                let next = bytes[index]
                index += 1
                switch next {
                case UInt8(ascii: "{"): isShifted = true
                case UInt8(ascii: "}"): isShifted = false
                case UInt8(ascii: "~"): output.append(next)
                case .lf, .cr: break
                default: output.append(contentsOf: [byte, next])
                }
                continue
            }
            if byte == .lf { isShifted = false }
            output.append(isShifted && ASCII.isVisible(byte) ? byte | 0x80 : byte)
        }
        return output
    }
}
