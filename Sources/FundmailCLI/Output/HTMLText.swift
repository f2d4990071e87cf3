/// Text from mail inside an HTML page.
enum HTMLText {
    /// Fit for element content and for attribute values in double quotes; controls and bidi controls are taken out.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.clean(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
