@testable import FundServer

extension PageMatrixTests {
    /// Pages of webhooks.
    static let webhookRows: [Row] = [
        Row(method: "GET", path: "/account/webhooks", owner: 200, other: 200),
        act("/account/webhooks", "name=New+%user%&\(settings)", 200, other: 200),
        Row(method: "GET", path: "/account/webhooks/{webhook}", owner: 200, other: 404),
        act("/account/webhooks/{webhook}", "name=Renamed&\(settings)"),
        act("/account/webhooks/{webhook}/on"),
        act("/account/webhooks/{webhook}/pause"),
        act("/account/webhooks/{webhook}/secret", "", 200),
        act("/account/webhooks/{webhook}/test"),
        act("/account/webhooks/{webhook}/deliveries/{delivery}/send"),
        act("/account/webhooks/{webhook}/remove"),
    ]

    private static let settings = "address=https%3A%2F%2Fhooks.example%2F&kind-file=1"

    private static func act(_ path: String, _ form: String = "", _ owner: Int = 303, other: Int = 404) -> Row {
        Row(method: "POST", path: path, form: form, owner: owner, other: other)
    }
}
