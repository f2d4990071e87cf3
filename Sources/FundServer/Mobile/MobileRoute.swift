internal import HTTPTypes
internal import Hummingbird

/// A route of the mobile API. The sign is checked before its handler runs.
struct MobileRoute: Sendable {
    /// Bytes of most bodies.
    private static let maxBodyBytes = 64 * 1024
    /// Bytes of the body of a note, which holds a text of any kind.
    static let maxNoteBytes = 1024 * 1024

    let method: HTTPRequest.Method
    /// Ends with the parameters of the user's id and the sign. Parameters are numbered, since the router allows one
    /// name for a position in all routes.
    let path: String
    let maxBodyBytes: Int
    /// Whether the response is sent while it is read, and reserves room itself. Other responses are made in memory.
    let isStreamed: Bool
    let answer: @Sendable (MobileCall, Request) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, maxBodyBytes: Int = MobileRoute.maxBodyBytes,
        isStreamed: Bool = false,
        _ answer: @escaping @Sendable (MobileCall, Request) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.maxBodyBytes = maxBodyBytes
        self.isStreamed = isStreamed
        self.answer = answer
    }
}
