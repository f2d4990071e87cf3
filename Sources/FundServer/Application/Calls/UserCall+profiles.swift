internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension UserCall {
    /// The parts that a profile of this server can have.
    func profileOffer() async throws -> ProfileOffer { try await parts.profiles?.offer() ?? ProfileOffer() }

    /// The user's own profile, as a file. Throws 400 for parts that are not offered, 503 when it cannot be signed.
    func profile(of chosen: Set<ProfilePart>, in language: ProfileLanguage) async throws -> Response {
        guard let profiles = parts.profiles else { throw RequestError.notFound }
        let order = ProfileOrder(for: try user, parts: chosen, language: language)
        let bytes = try await profiles.profile(order)
        return Response(
            status: .ok,
            headers: [
                .contentType: DeviceProfile.contentType, .cacheControl: "no-store",
                .contentDisposition: ContentHeaders.disposition("attachment", name: DeviceProfile.fileName),
                .xContentTypeOptions: "nosniff", .contentSecurityPolicy: ContentHeaders.policy,
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
