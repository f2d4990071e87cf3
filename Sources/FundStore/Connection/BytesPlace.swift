internal import FundCore
internal import ObjectStorage

/// The bucket that has the sealed segments of a store, as the store's folder names it.
package struct BytesPlace: Codable, Hashable, Sendable {
    /// `s3://bucket/prefix?endpoint=…&region=…`. Keys are never in it.
    package let address: String
    /// Abilities that the probe found when the bucket was added.
    let abilities: StoreAbilities
    /// Limit of the bytes of segments that stay on this disk; nil keeps all of them.
    package var localBytes: Int64?

    /// - Parameter address: names the region where the environment did.
    init(_ address: String, in region: String, _ abilities: StoreAbilities, localBytes: Int64?) {
        let hasRegion = address.contains("?region=") || address.contains("&region=")
        self.address = hasRegion ? address : address + (address.contains("?") ? "&" : "?") + "region=\(region)"
        (self.abilities, self.localBytes) = (abilities, localBytes)
    }
}

/// The place of a store's segments, with the surroundings that have the key.
struct BytesAccess: Sendable {
    var place: BytesPlace
    /// See `AccessKeySource`.
    var environment: [String: String]

    /// The bucket, without a request. Throws `unreachable` without a key, `invalid` for an address that cannot be read.
    func bucket(_ patience: RequestPatience) throws -> Bucket {
        do throws(ObjectStorageError) {
            return try Bucket(
                BucketAddress(place.address, environment: environment), keys: AccessKeySource(environment: environment),
                abilities: place.abilities, patience: patience)
        } catch { throw StoreError(error, "use the bucket") }
    }
}
