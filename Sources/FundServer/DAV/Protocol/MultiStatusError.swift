internal import HTTPTypes
internal import Hummingbird

/// A change that failed because of other resources than the one of the request (RFC 4918 §13). Nothing was changed.
struct MultiStatusError: DAVResponseError {
    var places: [(href: String, status: HTTPResponse.Status)]

    init(_ places: [(href: String, status: HTTPResponse.Status)]) { self.places = places }

    var response: Response {
        var writer = MarkupWriter()
        writer.raw("<D:multistatus xmlns:D=\"DAV:\">")
        for (href, status) in places {
            writer.raw("<D:response>")
            writer.element("D:href", href)
            writer.element("D:status", status.line)
            if status == .locked {
                writer.raw("<D:error>")
                DAVCondition.lockTokenSubmitted([href]).write(to: &writer)
                writer.raw("</D:error>")
            }
            writer.raw("</D:response>")
        }
        writer.raw("</D:multistatus>")
        return .xml(.multiStatus, writer)
    }
}
