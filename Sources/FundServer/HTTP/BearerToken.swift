internal import Hummingbird

/// `Authorization: Bearer …` (RFC 6750 §2.1). A token is never taken from the query or a cookie: those travel by themselves, or
/// end in logs.
enum BearerToken {
    static func of(_ request: Request) -> String? {
        guard let field = request.headers[.authorization] else { return nil }
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}
