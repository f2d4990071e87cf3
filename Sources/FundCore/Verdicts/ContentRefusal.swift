/// Why a content is not given to people.
package enum ContentRefusal: Sendable, Hashable {
    /// - Parameter name: of what a scanner found in it.
    case malware(name: String)
    /// No scanner has looked at it yet, and the store gives no such contents.
    case unscanned
}
