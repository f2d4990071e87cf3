/// Text made fit for one line of a display or a row.
enum Displayable {
    /// C0 and C1 controls and line separators become spaces, NULs go.
    static func line(_ text: String) -> String {
        let needsWork = text.utf8.contains { $0 < 32 || $0 == 127 || $0 == 0xC2 || $0 == 0xE2 }
        guard needsWork else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar.value != 0 {
            switch scalar.value {
            case 1..<32, 127...159, 0x2028, 0x2029: result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// NUL and controls but tab, CR and LF go.
    static func body(_ text: String) -> String {
        guard text.utf8.contains(where: { ($0 < 32 && $0 != 9 && $0 != 10 && $0 != 13) || $0 == 127 }) else {
            return text
        }
        let kept = text.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 || [9, 10, 13].contains($0.value) }
        return String(String.UnicodeScalarView(kept))
    }
}
