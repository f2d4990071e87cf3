import FundCore
import MailConnection

/// The part of the network from which feeds are fetched.
package struct FetchReach: Sendable {
    var isAllowed: @Sendable (DialledAddress) -> Bool
    /// PEM of an authority to use instead of the system's; nil for those.
    var caFile: String?
    /// Other servers in the place of some, see `WebSession`.
    var substitutes: [String]
    /// Time for all requests of one fetch.
    var limit: Duration

    private static let allowedPorts: Set<UInt16> = [80, 443, 8080, 8443]

    /// The public internet, at the ports of web servers.
    package static let publicInternet = FetchReach(
        isAllowed: { allowedPorts.contains($0.port) && PublicAddress.isPublic($0.bytes) }, caFile: nil,
        substitutes: [], limit: .seconds(20))

    #if DEBUG
        /// An address of this machine that stands for the web in the stories of the pages.
        private static let storyHost: [UInt8] = [127, 73, 0, 1]

        /// The public internet, and one address of this machine.
        /// - Parameter caFile: PEM of an authority to use instead of the system's; nil for those.
        package static func withStoryHost(caFile: String?) -> FetchReach {
            FetchReach(
                isAllowed: { publicInternet.isAllowed($0) || $0.bytes == storyHost && allowedPorts.contains($0.port) },
                caFile: caFile, substitutes: [], limit: publicInternet.limit)
        }
    #endif
}
