import ArgumentParser
import FundCore
import FundStore
import Terminal

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Write the profile that sets up a person's iPhone, iPad or Mac.",
        discussion: """
            People get their own on the page /account/profiles; this is for administrators whose device management \
            (MDM) hands profiles out. The profile holds no password: the device asks for it. A file of that name is \
            replaced as a whole.

            Example:
              fundmail profile ann@example.com --to ann.mobileconfig
            """)

    @OptionGroup var choice: UserChoice
    @Option(help: ArgumentHelp("The file to write.", valueName: "file"))
    var to: String
    @Option(help: ArgumentHelp("Only this part; may be repeated: \(parts.joined(separator: ", ")).", valueName: "part"))
    var part: [String] = []
    @Option(help: ArgumentHelp("In which the profile describes itself: en or zh.", valueName: "language"))
    var language = ProfileLanguage.en.rawValue
    @OptionGroup var globals: GlobalOptions

    private static let parts = ProfilePart.allCases.map(\.rawValue)

    func validate() throws {
        for word in part where ProfilePart(rawValue: word) == nil {
            throw ValidationError("\(word) is no part of a profile; there are: \(Self.parts.joined(separator: ", "))")
        }
        guard ProfileLanguage(rawValue: language) != nil else { throw ValidationError("--language must be en or zh") }
    }

    func run() async throws {
        let workspace = try Workspace(globals)
        let store = try workspace.openStore(.readOnly)
        let user = try await choice.user(in: store)
        let profiles = DeviceProfiles(configuration: { workspace.configuration }, store: store)
        let offer = try await profiles.offer()
        let chosen = Set(part.compactMap(ProfilePart.init(rawValue:)))
        let order = ProfileOrder(
            for: user, parts: chosen.isEmpty ? Set(offer.parts) : chosen,
            language: ProfileLanguage(rawValue: language) ?? .en)
        let bytes = try await profiles.profile(order)
        try OutputFile.write(bytes, to: to)
        let names = offer.parts.filter(order.parts.contains).map(\.rawValue).joined(separator: ", ")
        try Console.line(TerminalText.clean("Wrote the profile of \(user.email) to \(to): \(names)."))
        if offer.signer == .nobody {
            Console.warn("it is not signed, and devices say so: add profiles: {certificate: …, key: …}")
        }
        if offer.isSignerExpired {
            Console.warn("the certificate that signs it has expired, and devices show it as not verified")
        }
    }
}
