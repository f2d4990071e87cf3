import CLinux
internal import Glibc

/// What stands before the first and after the last boundary of a multipart.
enum OutsideParts {
    private static let signs = ["content-type:", "content-disposition:", "content-transfer-encoding:"]

    /// Whether a part or a file seems to hide there, which most readers do not show.
    static func looksLikePart(_ text: UnsafePointer<CChar>?) -> Bool {
        guard let text, text[0] != 0 else { return false }
        for sign in signs where strcasestr(text, sign) != nil { return true }
        return strncmp(text, "begin 6", 7) == 0 || strstr(text, "\nbegin 6") != nil
    }
}
