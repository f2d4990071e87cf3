/// The reason for which people do not get a content.
package enum ContentRefusal: Sendable, Hashable {
    /// - Parameter name: of what a scanner found in it.
    case malware(name: String)
    /// No scanner has looked at it yet, and the store gives no such contents.
    case unscanned
}
