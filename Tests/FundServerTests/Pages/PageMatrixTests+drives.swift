@testable import FundServer

extension PageMatrixTests {
    /// All rows. The ones of drives and webhooks come first: some of the others end sessions.
    static let rows = driveRows + webhookRows + mostRows

    /// Pages of drives, which are off in the test.
    private static let driveRows: [Row] = [
        off("GET", "/library/drives"), off("GET", "/library/drives/new"), off("POST", "/library/drives/new", "kind=b2"),
        off("GET", "/library/drives/sign-in", query: "?state=a&code=b"), off("GET", "/library/drives/{drive}/settings"),
        off("POST", "/library/drives/{drive}/settings", "renames=1&name=Renamed"),
        off("POST", "/library/drives/{drive}/remove", ""), off("GET", "/library/drives/{drive}"),
        off("GET", "/library/drives/{drive}/content", query: "?path=a.txt"),
        off("GET", "/library/drives/{drive}/entry", query: "?path=a.txt"),
        off("GET", "/library/drives/{drive}/file", query: "?path=a.txt"),
        off("GET", "/library/drives/{drive}/preview", query: "?path=a.txt"),
        off("GET", "/library/drives/{drive}/preview/text", query: "?path=a.txt"),
        off("POST", "/library/drives/{drive}/entry", "path=a.txt"),
        off("POST", "/library/drives/{drive}/folders", "name=New"),
        off("POST", "/library/drives/{drive}/move", "path=a.txt&name=b.txt&at=1/"),
        off("POST", "/library/drives/{drive}/delete", "entry-a.txt=1"),
        off("POST", "/library/drives/{drive}/take", "entry-a.txt=1"),
        off("POST", "/library/drives/{drive}/taken", "entry-a.txt=1&at=%fund%"),
        off("GET", "/library/drives/{drive}/watches"), off("GET", "/library/drives/{drive}/watches/new"),
        off("POST", "/library/drives/{drive}/watches/new", "path=In"),
        off("POST", "/library/drives/{drive}/watches", "path=In&at=%fund%&minutes=5"),
        off("POST", "/library/drives/{drive}/watches/{watch}/pause", ""),
        off("POST", "/library/drives/{drive}/watches/{watch}/look", ""),
        off("POST", "/library/drives/{drive}/watches/{watch}/remove", ""),
        off("GET", "/library/drives/copy", query: "?item-file-1=1"),
        off("POST", "/library/drives/copy", "item-file-%file%=1"),
        off("POST", "/library/drives/copied", "at=1/&item-file-%file%=1"), off("GET", "/library/drives/transfers"),
        off("POST", "/library/drives/transfers/{transfer}/cancel", ""),
        off("POST", "/library/drives/transfers/{transfer}/retry", ""),
    ]

    private static func off(_ method: String, _ path: String, _ form: String? = nil, query: String = "") -> Row {
        Row(method: method, path: path, query: query, form: form, owner: 404, other: 404)
    }
}
