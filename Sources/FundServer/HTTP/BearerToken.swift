internal import Hummingbird

/// `Authorization: Bearer …` (RFC 6750 §2.1). Tokens are not accepted in queries, which end in logs, nor in cookies,
/// which browsers send by themselves.
enum BearerToken {
    static func of(_ request: Request) -> String? {
        guard let field = request.headers[.authorization] else { return nil }
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}
