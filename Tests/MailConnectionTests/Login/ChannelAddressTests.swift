import Testing

@testable import MailConnection

@Suite struct ChannelAddressTests {
    @Test(arguments: [
        (
            "imaps://funds%40corp.example@mail.corp.example/INBOX",
            MailServerAddress(scheme: .imaps, user: "funds@corp.example", host: "mail.corp.example", port: 993)
        ),
        ("IMAP://u@h:1143", MailServerAddress(scheme: .imap, user: "u", host: "h", port: 1143)),
        ("pop3s://u@h/", MailServerAddress(scheme: .pop3s, user: "u", host: "h", port: 995)),
        ("pop3://a@b@h", MailServerAddress(scheme: .pop3, user: "a@b", host: "h", port: 110)),
        (
            "imaps://u@[::1]:9/a/b%20c/%C3%BC/",
            MailServerAddress(scheme: .imaps, user: "u", host: "::1", port: 9, mailbox: "a/b c/ü")
        ),
    ])
    func urlsAreRead(_ url: String, _ expected: MailServerAddress) throws {
        #expect(try MailServerAddress(url: url) == expected)
    }

    @Test(arguments: [
        "", "imaps:", "http://u@h", "imaps://h", "imaps://@h", "imaps://u@", "imaps://u:p@h", "imaps://u@h:0",
        "imaps://u@h:99999", "imaps://u@h:x", "imaps://u%0d@h", "imaps://u%@h", "imaps://u@h/a%0Ab", "imaps://u@h/a?x",
        "imaps://u@h h", "imaps://u@h/a;UIDVALIDITY=1", "pop3s://u@h/Folder", "imaps://u@[h", "imaps://u@::1",
        "imaps://u%ff@h",
    ])
    func wrongOnesAreRefused(_ url: String) {
        let error = #expect(throws: ConnectionError.self) { try MailServerAddress(url: url) }
        #expect(error?.code == .badConfiguration)
    }

    @Test func errorsNeverRepeatAURL() {
        let error = #expect(throws: ConnectionError.self) { try MailServerAddress(url: "imaps://u:sesame@h") }
        #expect(error.map { !"\($0)".contains("sesame") } == true)
    }

    @Test func secretsAreNotPrinted() {
        let credentials = Credentials.password("sesame")
        for text in ["\(credentials)", String(reflecting: credentials), String(describing: [credentials])] {
            #expect(!text.contains("sesame"))
        }
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!dumped.contains("sesame"))
    }

    /// Commands that servers repeat since they do not understand them.
    @Test(arguments: [
        ("sesame", "NO sesame is wrong", "NO (left out) is wrong"),
        ("ses\"me", #"BAD LOGIN ann "ses\"me""#, #"BAD LOGIN ann "(left out)""#),
        ("open sesame", "-ERR PASS open sesame?", "-ERR PASS (left out)?"),
        // SASL PLAIN, LOGIN and OAUTHBEARER: the secret after 5, 0 and 43 other bytes, cut in the last.
        ("sesame", "BAD 'AGFubgBzZXNhbWU=' unknown", "BAD (left out) unknown"),
        ("sesame", "-ERR c2VzYW1l", "-ERR (left out)"),
        (
            "ya29.a0AfH6SMBx-token-of-some-length-0123456789",
            "BAD bixhPWFubiwBaG9zdD1oLmV4YW1wbGUBYXV0aD1CZWFyZXIgeWEyOS5hMEFmSDZTTUJ4LXRva2Vu",
            "BAD (left out)"
        ),
        ("ya29.a0AfH6SMBx-token-of-some-length-0123456789", "BAD ya29.a0AfH6SMBx-token-of-s", "BAD (left out)"),
        ("sesame", "NO the season is over", "NO the season is over"),
    ])
    func whatServersSayHoldsNoSecret(_ secret: String, _ said: String, _ shown: String) {
        #expect(Secret(kind: .password, text: secret).redacting(said) == shown)
    }

    @Test func aSecretThatWouldEndALineIsRefused() {
        #expect(throws: ConnectionError.self) { _ = try Credentials.password("a\r\nb").secret(isRefused: false) }
    }
}
