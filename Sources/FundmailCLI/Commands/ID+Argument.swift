import ArgumentParser
import FundCore

/// As reports show them: numbers.
extension ID: ExpressibleByArgument {}
