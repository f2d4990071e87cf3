import FundClient
import Terminal

extension [Fund] {
    /// The fund of that name, else the only one whose name differs in capitals alone (no two funds of a user do), else
    /// the one that has it as another name: mail finds it so, too.
    func found(by name: String) -> Fund? {
        first { RemotePath.plain($0.name) == name } ?? first { $0.isCalled(name) }
            ?? first { $0.aliases.contains { Fund.isAlike($0, name) } }
    }
}

extension Fund {
    /// Whether that is its name, in whatever capitals, and not one of its other names.
    func isCalled(_ name: String) -> Bool { Self.isAlike(self.name, name) }

    fileprivate static func isAlike(_ known: String, _ written: String) -> Bool {
        RemotePath.plain(known).lowercased() == written.lowercased()
    }

    /// Says to people that they wrote another name of this fund: one that it had before may be meant for a fund that
    /// is made under that name later.
    func remark(onName written: String) {
        guard !isCalled(written) else { return }
        Console.warn("\(written) is another name of the fund \(name).")
    }

    /// Says whose former name this fund was given, and with it the mail that names it.
    func remarkOnFormerHolder() {
        guard let tookNameFrom else { return }
        Console.warn("Mail with [\(name)] found [\(tookNameFrom)] until now, which was called so before.")
    }
}
