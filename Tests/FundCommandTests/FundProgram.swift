import TestSupport

extension BuiltProgram {
    /// `fund` as a person runs it in a folder, with all that it keeps below that.
    static func fund(in folder: String) -> BuiltProgram {
        var program = BuiltProgram(named: "fund")
        program.workingFolder = folder
        program.environment = [
            "XDG_CONFIG_HOME": folder + "/config", "XDG_DATA_HOME": folder + "/data",
            "FUND_PASSWORD": FundmailServer.password,
        ]
        return program
    }
}
