internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebDAV {
    func get(_ call: DAVCall) async throws -> Response {
        let resource = try await existing(call)
        if let file = resource.file {
            return try await downloads.response(ServedContent(file), to: call.request, over: call.context.sends)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLocation: resource.href, .cacheControl: "no-store",
                .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: try await listing(of: resource, call.user))))
    }

    /// The page for users who open the address in a browser.
    private func listing(of resource: DAVResource, _ user: User) async throws -> String {
        let title = resource.item?.name ?? "Funds"
        var page = MarkupWriter(declaring: false)
        page.raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
        page.escaped(title)
        page.raw("</title><style>body{font-family:sans-serif}td{padding:0 1em}</style></head><body><h1>")
        page.escaped(title)
        page.raw("</h1><table>\n")
        if let parent = resource.path.parent { Self.row("..", parent.href(isCollection: true), nil, to: &page) }
        for child in try await members(of: resource, user) {
            let href = resource.path.appending(child.name).href(isCollection: child.isCollection)
            Self.row(child.isCollection ? child.name + "/" : child.name, href, child.file, to: &page)
        }
        page.raw("</table></body></html>\n")
        return page.text
    }

    private static func row(_ name: String, _ href: String, _ file: FileEntry?, to page: inout MarkupWriter) {
        page.raw("<tr><td><a href=\"\(href)\">")
        page.escaped(name)
        page.raw("</a></td><td>\(file.map { String($0.size) } ?? "")</td>")
        page.raw("<td>\(file.map { DateText.internet($0.modifiedAt) } ?? "")</td></tr>\n")
    }

    /// The members of a collection.
    func members(of resource: DAVResource, _ user: User) async throws -> [LibraryItem] {
        guard let inside = resource.item?.inside else {
            return resource.isCollection ? try await library.funds(of: user.id).map { .fund($0) } : []
        }
        return try await library.children(of: inside, of: user.id)
    }
}
