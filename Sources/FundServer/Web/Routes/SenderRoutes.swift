internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import Ingest

/// Routes for people who send mail, about it.
extension WebRoute {
    private struct SubjectTest: Decodable {
        /// Unicode scalars; mail programs write less.
        static let maxLength = 1000

        var subject: String
    }

    private struct OwnFiling: Decodable {
        var fund: Fund.ID
    }

    static let senderRoutes: [WebRoute] = [
        .get("/v1/received") { call in
            let page = try await call.library.received(
                of: try call.userID, try call.page(try call.query(), default: 100))
            return try call.list("messages", page) { $0.field($1) }
        },
        .post("/v1/received/{received}/file") { call in
            let body: OwnFiling = try await call.body()
            let mail = try await call.fileOwnMail(into: body.fund)
            return call.json { $0.field(mail) }
        },
        .post("/v1/routing/test") { call in
            let user = try call.user
            let body: SubjectTest = try await call.body()
            guard body.subject.unicodeScalars.count <= SubjectTest.maxLength else {
                throw RequestError.invalid("subject may have at most \(SubjectTest.maxLength) characters")
            }
            let decision = try await call.parts.rehearse(body.subject, of: user)
            return call.json { $0.field(decision) }
        },
    ]
}
