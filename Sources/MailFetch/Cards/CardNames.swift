internal import FundCore

/// Names of WebDAV and CardDAV, and the bodies of requests that ask for them.
enum CardNames {
    private static let namespaces =
        #"xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav" xmlns:S="http://calendarserver.org/ns/""#

    static func card(_ local: String) -> MarkupName {
        MarkupName(namespace: "urn:ietf:params:xml:ns:carddav", local: local)
    }

    static let collectionTag = MarkupName(namespace: "http://calendarserver.org/ns/", local: "getctag")

    /// RFC 4918 §9.1.
    static func propfind(_ properties: String) -> String {
        document("D:propfind", "<D:prop>\(properties)</D:prop>")
    }

    /// RFC 6578 §3.2.
    static func sync(since token: String) -> String {
        document(
            "D:sync-collection",
            "<D:sync-token>\(escaped(token))</D:sync-token><D:sync-level>1</D:sync-level>"
                + "<D:prop><D:getetag/><D:resourcetype/></D:prop>")
    }

    /// RFC 6352 §8.7.
    static func multiget(_ paths: some Sequence<String>) -> String {
        document(
            "C:addressbook-multiget",
            "<D:prop><D:getetag/><C:address-data/></D:prop>"
                + paths.map { "<D:href>\(escaped($0))</D:href>" }.joined())
    }

    private static func document(_ root: String, _ content: String) -> String {
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<\(root) \(namespaces)>\(content)</\(root)>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing(scalar: "&", with: "&amp;").replacing(scalar: "<", with: "&lt;")
            .replacing(scalar: ">", with: "&gt;")
    }
}
