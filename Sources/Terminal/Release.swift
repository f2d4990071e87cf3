/// The release that both programs belong to.
package enum Release {
    /// Its number, as `--version` and the Debian packages have it (https://semver.org). A release raises it here, and
    /// gives the newest section of CHANGELOG.md this name.
    package static let version = "0.1.0"
}
