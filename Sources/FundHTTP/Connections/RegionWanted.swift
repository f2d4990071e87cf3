internal import FundCore

/// A channel event: the next bytes of the body stand in a file.
struct RegionWanted: Sendable {
    var region: StoredRegion
}
