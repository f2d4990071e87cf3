/// `Content-Security-Policy` (W3C CSP Level 3).
enum PagePolicy {
    /// Of pages: everything from this server alone, no code in the page, no markup from strings.
    static let pages = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "media-src 'self'",
        "connect-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
}
