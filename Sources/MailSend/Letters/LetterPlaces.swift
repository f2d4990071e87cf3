/// The places to which letters lead, and what they say about the server, by the configuration.
package struct LetterPlaces: Sendable, Hashable {
    /// Address of the pages from outside, without a slash at its end; nil when the configuration does not tell it.
    package var pages: String?
    /// Limit of a message, in bytes.
    package var maxMessageBytes: Int64
    /// Stands between the local part of our address and a detail (RFC 5233); nil where no mailbox takes such addresses.
    package var subaddressSeparator: String?

    package init(pages: String?, maxMessageBytes: Int64, subaddressSeparator: String? = nil) {
        self.pages = pages
        self.maxMessageBytes = maxMessageBytes
        self.subaddressSeparator = subaddressSeparator
    }

    /// The address of a page, which shows and does nothing. Nil where the address of the pages is unknown.
    func link(_ path: String) -> String? { pages.map { $0 + path } }
}
