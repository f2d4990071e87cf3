/// A page of a report: it needs nothing else, runs nothing, and reads well on paper and in a mail program.
enum ReportPage {
    /// - Parameter body: markup; texts in it are escaped already.
    static func html(title: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="no-referrer">
        <title>\(HTMLText.escaped(title))</title>
        <style>
        body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; \
        color: #1c1c1c; }
        h2 { margin: 2em 0 .2em; font-size: 1.15em; } p { margin: .2em 0 .8em; color: #555; }
        table { border-collapse: collapse; width: 100%; table-layout: auto; }
        th, td { text-align: left; vertical-align: top; padding: .35em .7em .35em 0; border-top: 1px solid #ddd; }
        td { overflow-wrap: anywhere; } .n { text-align: right; white-space: nowrap; }
        code { font: 13px/1.4 ui-monospace, monospace; background: #f3f3f3; padding: .1em .3em; }
        @media print { body { margin: 0; max-width: none; font-size: 10pt; } tr { break-inside: avoid; }
          code { background: none; padding: 0; } }
        </style>
        </head>
        <body>
        <h1>\(HTMLText.escaped(title))</h1>
        \(body)</body>
        </html>

        """
    }
}
