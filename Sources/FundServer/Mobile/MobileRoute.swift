internal import HTTPTypes
internal import Hummingbird

/// A call whose sign is checked before anything else.
struct MobileRoute: Sendable {
    /// Of most bodies.
    private static let maxBodyBytes = 64 * 1024
    /// Of a note: its content is somebody's text.
    static let maxNoteBytes = 1024 * 1024

    let method: HTTPRequest.Method
    /// Ends with the places of the user's id and the sign. Places are numbered, because the router knows one name for each,
    /// whatever stands there.
    let path: String
    let maxBodyBytes: Int
    /// Whether the answer is a file, which asks for room itself. Others are made in memory.
    let isFile: Bool
    let answer: @Sendable (MobileCall, Request) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, maxBodyBytes: Int = MobileRoute.maxBodyBytes,
        isFile: Bool = false,
        _ answer: @escaping @Sendable (MobileCall, Request) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.maxBodyBytes = maxBodyBytes
        self.isFile = isFile
        self.answer = answer
    }
}
