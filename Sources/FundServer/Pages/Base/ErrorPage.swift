internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The page that says what went wrong, and what to do next.
enum ErrorPage {
    static func response(to failure: RequestError, _ call: PageCall) -> Response {
        guard !call.wantsJSON else {
            return call.json(failure.status, headers: failure.headers) {
                $0.field("detail", call.words.sentence(failure))
            }
        }
        var headers = failure.headers
        headers[.wwwAuthenticate] = nil
        var model: PageModel = [
            "detail": detail(failure, call), "code": failure.code, "status": "\(failure.status.code)",
            "request": call.context.id, "isRead": call.isRead,
        ]
        if failure.doneCount > 0 {
            model["before"] = call.words("error.before", call.words.count("items", failure.doneCount))
        }
        model["from"] = call.request.headers[.referer].flatMap(call.localPath(ofReferrer:))
        return call.page(
            "error", model, title: call.words("error.title"), status: failure.status, headers: headers)
    }

    /// The sentence for a failure. Administrators are not told to ask an administrator.
    private static func detail(_ failure: RequestError, _ call: PageCall) -> String {
        let key = "error.\(failure.code).office"
        let isAdministrator = call.signedIn?.user.isAdministrator ?? false
        return isAdministrator && Words.table[key] != nil ? call.words(key) : call.words.sentence(failure)
    }
}
