import FundCore

/// State that the parts of a sanitizer share: whether pictures on other servers are left in, and what was found in the
/// mail.
struct MarkupContext: Equatable {
    var showsRemotePictures = false
    /// Pictures on other servers that are not shown.
    var blockedPictures = 0
    /// The mail asks for dark colours where its reader has them (`color-scheme`).
    var hasDarkColours = false
    /// Rules of its style sheets that are left in.
    var styleRules = 0

    /// The address of a picture that is to be shown, with `https`, as visible ASCII; else nil, and counted. Nil for
    /// what is no address of another server, too.
    /// - Parameter isShowable: false where no picture is left in whatever it is.
    mutating func pictureAddress(_ text: String, isShowable: Bool = true) -> String? {
        guard let target = LinkTarget(text), target.scheme == .https || target.scheme == .http else { return nil }
        guard showsRemotePictures, isShowable, target.address.utf8.allSatisfy(ASCII.isVisible) else {
            blockedPictures += 1
            return nil
        }
        return target.scheme == .https ? target.address : "https" + target.address.dropFirst(4)
    }
}
