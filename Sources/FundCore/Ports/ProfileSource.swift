/// Profiles that set up people's iPhones, iPads and Macs. Errors are `ProfileError`.
package protocol ProfileSource: Sendable {
    /// The parts that a profile can have now, and who signs it.
    func offer() async throws -> ProfileOffer

    /// Writes a profile (`application/x-apple-aspen-config`): signed where the offer names a signer, or not at all.
    /// Throws `parts` for an order without parts, or with one that is not offered.
    func profile(_ order: ProfileOrder) async throws -> [UInt8]
}
