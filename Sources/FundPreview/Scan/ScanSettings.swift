package import FundCore

/// How contents are looked through for malware.
package struct ScanSettings: Sendable {
    package var scanner: any ContentScanner
    package var quarantine: any QuarantineRegister
    /// Nothing is made of a content before there is a verdict of it.
    package var holdsUnscanned: Bool

    package init(scanner: any ContentScanner, quarantine: any QuarantineRegister, holdsUnscanned: Bool = false) {
        self.scanner = scanner
        self.quarantine = quarantine
        self.holdsUnscanned = holdsUnscanned
    }
}
