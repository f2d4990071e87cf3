internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The drives of a person, and how they come and go.
extension PageRoute {
    static let driveRoutes: [PageRoute] = [
        .get(DrivePaths.drives) { call in try await drivesPage(call) },
        .get("\(DrivePaths.drives)/new") { call in try DriveForm(call).response() },
        .post("\(DrivePaths.drives)/new") { call, form in
            try call.context.requireSecrecy()
            return try await DriveForm(call).save(form)
        },
        .get("\(DrivePaths.drives)/{drive}/settings") { call in
            try DriveForm(call, of: try await call.drive()).response()
        },
        .post("\(DrivePaths.drives)/{drive}/settings") { call, form in
            try call.context.requireSecrecy()
            return try await DriveForm(call, of: try await call.drive()).save(form)
        },
        .post("\(DrivePaths.drives)/{drive}/remove") { call, _ in
            try await call.removeDrive(try call.id("drive"))
            return call.redirect(to: "\(DrivePaths.drives)?done=drive-removed")
        },
    ]

    /// The room of a store in words and as a bar; nil where the store tells nothing.
    private static func space(_ space: DriveSpace, _ call: PageCall) -> PageModel? {
        guard let text = DriveSpaceText(call.words, call.formats).text(space) else { return nil }
        var model: PageModel = ["spaceText": text, "isBounded": false]
        if let total = space.total, total > 0, let used = space.used ?? space.free.map({ total - $0 }) {
            model.merge(["isBounded": true, "used": "\(min(max(used, 0), total))", "room": "\(total)"])
        }
        return model
    }

    private static func drivesPage(_ call: PageCall) async throws -> Response {
        let words = call.words
        let drives = try await call.driveStore.drives(of: try call.userID)
        let spaces = await call.driveSpaces(of: drives.filter { $0.problem == nil }, within: DriveSpaceText.wait)
        let model: PageModel = [
            "atDrives": true, "here": DrivePaths.drives, "isEmpty": drives.isEmpty,
            "rows": drives.map { drive -> PageModel in
                [
                    "id": "\(drive.id)", "name": drive.name, "address": DrivePaths.drive(drive.id),
                    "edit": "\(DrivePaths.drive(drive.id))/settings", "host": drive.host, "kind": drive.kind.title,
                    "account": drive.account.orAbsent, "space": spaces[drive.id].flatMap { space($0, call) }.orAbsent,
                    "problem": drive.problem.map { words("drive.problem.\($0.rawValue)") }.orAbsent,
                    // The store has a page of its own for it, or its secrets are entered anew.
                    "signsIn": drive.problem == .login && drive.kind.usesOAuth,
                    "enters": drive.problem == .login && !drive.kind.usesOAuth,
                ]
            },
        ]
        return call.page("drives", model, title: words("drives.title"))
    }
}

/// The page on which a drive is added, or signed in to anew.
struct DriveForm {
    private let call: PageCall
    /// Nil for a new one.
    private let drive: Drive?

    init(_ call: PageCall, of drive: Drive? = nil) { (self.call, self.drive) = (call, drive) }

    private var action: String { drive.map { "\(DrivePaths.drive($0.id))/settings" } ?? "\(DrivePaths.drives)/new" }

    /// Asks the store, and keeps the drive when it answers.
    func save(_ form: FieldText) async throws -> Response {
        guard let kind = drive?.kind ?? DriveKind(rawValue: form["kind"] ?? "") else {
            throw DriveError(.settings, "kind is none that there is")
        }
        let name = form["name"] ?? ""
        do {
            if let drive, form["renames"] != nil {
                _ = try await call.changeDrive(drive.id, name: name, nil)
                return call.redirect(to: "\(DrivePaths.drives)?done=drive-saved")
            }
            if kind.usesOAuth {
                let begun = try await call.beginDriveSignIn(kind, name: name, drive: drive?.id, isOfProgram: false)
                return DriveSignInPage(call).leading(to: kind, at: begun.address)
            }
            let pairs = kind.fields.compactMap { field in
                form[Self.name(of: field)].flatMap { $0.isEmpty ? nil : (field.name, $0) }
            }
            let settings = try DriveSettings(kind, Dictionary(pairs) { first, _ in first })
            guard let drive else {
                let added = try await call.addDrive(name, settings)
                return call.redirect(to: "\(DrivePaths.drive(added.id))?done=drive-added")
            }
            _ = try await call.changeDrive(drive.id, name: nil, settings)
            return call.redirect(to: "\(DrivePaths.drives)?done=drive-saved")
        } catch let failure as DriveError {
            return try response(kind, form, failure: failure.requestError, at: Self.field(of: failure, kind))
        } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
            return try response(kind, form, failure: failure.requestError, at: "name")
        }
    }

    func response() throws -> Response {
        let word = try call.query().word("kind")
        return try response(drive?.kind ?? word.flatMap(DriveKind.init(rawValue:)), nil)
    }

    /// - Parameters:
    ///   - kind: nil asks for it first.
    ///   - form: as it was typed; secrets are not given back.
    ///   - field: the input that the failure is about.
    private func response(
        _ kind: DriveKind?, _ form: FieldText?, failure: RequestError? = nil, at field: String? = nil
    ) throws -> Response {
        let words = call.words
        var model: PageModel = [
            "atDrives": true, "here": action, "action": action, "back": DrivePaths.drives, "isNew": drive == nil,
            "hasKind": kind != nil, "kind": kind?.rawValue ?? "", "signsIn": kind?.usesOAuth ?? false,
            "name": form?["name"] ?? drive?.name ?? kind?.title ?? "",
            "kinds": try call.driveOperations.kinds.map { kind -> PageModel in
                [
                    "name": kind.title, "address": "\(DrivePaths.drives)/new?kind=\(kind.rawValue)",
                    "hint": words("drive.kind.\(kind.rawValue)"),
                ]
            },
            "inputs": (kind?.fields ?? []).map { self.model($0, form, failed: field) },
            "remove": drive.map { "\(DrivePaths.drive($0.id))/remove" }.orAbsent,
        ]
        if let failure { model = model.failed(words.sentence(failure), at: field) }
        let new = kind?.usesOAuth == true ? words("drives.signin.title", kind?.title ?? "") : words("drives.add")
        let title = drive.map { words("drive.settings", words.isolated($0.name)) } ?? new
        return call.page("driveform", model, title: title, status: failure == nil ? .ok : .unprocessableContent)
    }

    private func model(_ field: DriveField, _ form: FieldText?, failed: String?) -> PageModel {
        let name = Self.name(of: field)
        var choices: [String] = []
        if case .choice(let words) = field.form { choices = words }
        let value = field.isSecret ? "" : form?[name] ?? ""
        return [
            "field": name, "label": call.words("drive.field.\(field.name)"), "value": value,
            "isSecret": field.isSecret, "isAddress": field.form == .address, "isRequired": field.isRequired,
            "isChoice": !choices.isEmpty, "isFailed": failed == name,
            "choices": choices.map {
                PageModel.choice(
                    $0, call.words("drive.choice.\($0)"), isChosen: value.isEmpty ? $0 == choices.last : $0 == value)
            },
        ]
    }

    private static func name(of field: DriveField) -> String { "set-\(field.name)" }

    /// The input that a failure is about: the one that it names, that of the secret, or that of the address.
    private static func field(of failure: DriveError, _ kind: DriveKind) -> String? {
        let fields = kind.fields
        switch failure.problem {
        case .settings:
            let named = failure.detail?.prefix { $0 != " " && $0 != ":" }
            return fields.first { $0.name == named ?? "" }.map(name)
        case .login: return fields.first(where: \.isSecret).map(name)
        case .unreachable, .tooSlow, .certificate, .privateAddress, .forbidden, .notFound:
            return fields.first { $0.form == .address }.map(name)
        default: return nil
        }
    }
}
