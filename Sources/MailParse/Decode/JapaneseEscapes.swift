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
            if byte == 0x1B {
                let rest = bytes[index...].dropFirst()
                if rest.starts(with: [0x24, 0x28, 0x44]) {
                    (mode, index) = (.supplement, index + 4)
                } else if rest.starts(with: [0x24, 0x40]) || rest.starts(with: [0x24, 0x42]) {
                    (mode, index) = (.kanji, index + 3)
                } else if rest.starts(with: [0x28, 0x49]) {
                    (mode, index) = (.kana, index + 3)
                } else if rest.first == 0x28, rest.count >= 2 {
                    (mode, index) = (.ascii, index + 3)
                } else {
                    index += 1
                }
                continue
            }
            index += 1
            if byte == 10 || byte == 13 { mode = .ascii }
            guard (0x21...0x7E).contains(byte), mode != .ascii else {
                // No octet of ISO-2022-JP: iconv would make a control of it, which nobody sees; 0xFF is nothing in EUC-JP.
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
            if byte == 0x7E, index < bytes.count {
                let next = bytes[index]
                index += 1
                switch next {
                case 0x7B: isShifted = true
                case 0x7D: isShifted = false
                case 0x7E: output.append(0x7E)
                case 10, 13: break
                default: output.append(contentsOf: [byte, next])
                }
                continue
            }
            if byte == 10 { isShifted = false }
            output.append(isShifted && byte > 0x20 && byte < 0x7F ? byte | 0x80 : byte)
        }
        return output
    }
}
