package import HTTPTypes

extension HTTPField.Name {
    static let host = constant("Host")
    static let forwardedFor = constant("X-Forwarded-For")
    static let forwardedProto = constant("X-Forwarded-Proto")
    static let strictTransportSecurity = constant("Strict-Transport-Security")
    static let contentTypeOptions = constant("X-Content-Type-Options")
    static let referrerPolicy = constant("Referrer-Policy")
    /// https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_ignore_headers
    static let accelRedirect = constant("X-Accel-Redirect")

    /// Traps when `text` is no field name; it is a constant of this program.
    package static func constant(_ text: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(text)") else { preconditionFailure("\(text) cannot name a field") }
        return name
    }
}
