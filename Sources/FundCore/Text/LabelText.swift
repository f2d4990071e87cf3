extension String {
    /// One line for a list, such as the name of a person or a device: line ends and tabs are spaces; other controls go,
    /// and so does what turns the direction of writing (UAX #9 §2), so that it can neither command a terminal nor read
    /// as another one.
    package var label: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x09...0x0D, 0x85, 0x2028, 0x2029: result.append(" ")
            case 0..<0x20, 0x7F..<0xA0: continue
            // The scalars with the property Bidi_Control.
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
