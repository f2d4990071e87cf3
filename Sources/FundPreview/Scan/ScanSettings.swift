package import FundCore

/// How contents are looked through for malware.
package struct ScanSettings: Sendable {
    package var scanner: any ContentScanner
    /// Nothing is made of a content that it refuses.
    package var quarantine: any QuarantineRegister

    package init(scanner: any ContentScanner, quarantine: any QuarantineRegister) {
        self.scanner = scanner
        self.quarantine = quarantine
    }
}
