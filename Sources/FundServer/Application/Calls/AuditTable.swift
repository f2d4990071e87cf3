internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The audit trail as comma-separated values (RFC 4180), written while it is read: memory holds one page of it.
struct AuditTable: Sendable {
    let call: any UserCall
    let filter: AuditFilter
    /// With a byte order mark, without which spreadsheets take the text for one in the character set of the machine.
    var isForSpreadsheet = false

    /// Throws the errors of `Administration.audit` before anything is sent.
    func response() async throws -> Response {
        let first = try await page(after: nil)
        var headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8; header=present", .cacheControl: "no-store",
            .contentDisposition: ContentHeaders.disposition("attachment", name: "audit.csv"),
            .contentSecurityPolicy: ContentHeaders.policy,
        ]
        headers[.xContentTypeOptions] = "nosniff"
        let body = ResponseBody { writer in
            try await send(first, to: &writer)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private func page(after cursor: String?) async throws -> ListPage<AuditEntry> {
        try await call.administration.audit(filter, PageQuery(cursor: cursor))
    }

    private func send(_ first: ListPage<AuditEntry>, to writer: inout any ResponseBodyWriter) async throws {
        // A table that ends too early is no answer: the connection breaks off, as for files.
        var output = ReservedOutput(over: call.context.sends) { await call.isStillAdministrator() }
        var csv = CSVWriter()
        csv.row(AuditEntry.columns)
        var (page, start) = (first, isForSpreadsheet ? "\u{FEFF}" : "")
        while true {
            for entry in page.items { csv.row(entry.cells(at: DateText.internet(entry.at))) }
            try await output.put(Array((start + csv.drain()).utf8), to: &writer)
            guard let cursor = page.next else { return try await output.flush(to: &writer) }
            (page, start) = (try await self.page(after: cursor), "")
        }
    }
}
