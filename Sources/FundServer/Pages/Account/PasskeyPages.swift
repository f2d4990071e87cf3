internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Acts about the passkeys of the person who is signed in.
extension PageRoute {
    static let passkeyRoutes: [PageRoute] = [
        .script(.post, "/account/passkeys/challenge") { call in
            guard try call.isFresh() else { throw RequestError.confirmFirst }
            let (site, session, user) = (try call.requireSite(), try call.session, try call.user)
            let authenticator = call.parts.authenticator
            let challenge = authenticator.challenges.make(
                for: .add(user.id), in: session, at: authenticator.now())
            let known = try await call.accounts.passkeys(of: user.id)
            return call.challenge(challenge, for: site, known) { json in
                json.field("user", Base64.urlText(site.handle(of: user.id)))
                json.field("name", user.email)
                json.field("shown", user.name ?? user.email)
                json.field("algorithms", CredentialKey.algorithms) { $0.value($1) }
            }
        }.beforeSecondFactor,
        factorAct("/account/passkeys") { call, form in
            let (site, session) = (try call.requireSite(), try call.session)
            let name = TokenLabel.clean(form["name"] ?? "").trimmed
            do {
                guard let client = form["client"].flatMap({ Base64.bytes(url: $0) }),
                    let attestation = form["attestation"].flatMap({ Base64.bytes(url: $0) })
                else { throw WebAuthnError.malformed }
                let codes = try await call.parts.authenticator.addPasskey(
                    client, attestation, named: name.isEmpty ? call.words("passkey.nameless") : name, to: site,
                    in: session, try call.factorSession())
                return try call.codesPage(codes, form, done: "passkey-added")
            } catch WebAuthnError.unsoundKey {
                return try await factorPage(call, failure: call.words("passkey.unsound"))
            } catch is WebAuthnError {
                return try await factorPage(call, failure: call.words("passkey.refused"))
            } catch AuthenticationError.wrongPasskey {
                return try await factorPage(call, failure: call.words("passkey.late"))
            } catch let failure as StoreError where failure.code == .alreadyExists {
                return try await factorPage(call, failure: call.words("passkey.known"))
            } catch let failure as StoreError where failure.code == .invalid {
                return try await factorPage(call, failure: call.words("passkey.many"))
            }
        },
        factorAct("/account/passkeys/{passkey}/name") { call, form in
            let name = TokenLabel.clean(form["name"] ?? "").trimmed
            guard !name.isEmpty else { return try await factorPage(call, failure: call.words("passkey.noname")) }
            guard
                try await call.accounts.renamePasskey(
                    try call.id("passkey"), to: name, in: try call.factorSession())
            else { throw RequestError.notFound }
            return call.factorRedirect(next: form["next"], done: "renamed")
        },
        factorAct("/account/passkeys/{passkey}/remove") { call, form in
            guard
                try await call.accounts.removePasskey(
                    try call.id("passkey"), in: try call.factorSession(), rule: call.parts.authenticator.factorRule)
            else { throw RequestError.notFound }
            return call.factorRedirect(next: form["next"], done: "factor-removed")
        },
    ]
}
