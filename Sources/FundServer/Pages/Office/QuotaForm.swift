internal import FundCore
internal import FundHTTP

/// The form by which an administrator limits what a person's files may take.
enum QuotaForm {
    private static let gigabyte = 1e9
    /// More is no limit of any disk.
    private static let maxGigabytes = 1e9

    /// The choice of a form. Throws 400 for a word that is none, and `invalid` for a size that is none.
    static func quota(in form: FieldText) throws -> StorageQuota {
        switch form["quota"] {
        case "default": return .standard
        case "none": return .unlimited
        case "own":
            guard let gigabytes = Double(form["gigabytes"] ?? ""), (0...maxGigabytes).contains(gigabytes) else {
                throw StoreError(.invalid, "limit what a user may have", "a limit is a number of gigabytes")
            }
            return .bytes(Int64((gigabytes * gigabyte).rounded()))
        default: throw RequestError.invalid("quota must be default, none or own")
        }
    }

    static func model(of record: UserRecord, _ call: PageCall) -> PageModel {
        let (limits, text) = (call.administration.storageLimits, StorageText(words: call.words, formats: call.formats))
        let standard = limits.person.map { call.formats.size($0) } ?? call.words("room.nolimit")
        let choices = [
            ("default", call.words("room.default", standard)), ("none", call.words("room.nolimit")),
            ("own", call.words("room.own")),
        ]
        var model = text.model(record.usedBytes, of: record.quota.limit(limits))
        model["quotas"] = choices.map { PageModel.choice($0, $1, isChosen: $0 == record.quota.word) }
        model["gigabytes"] = if case .bytes(let bytes) = record.quota { number(Double(bytes) / gigabyte) } else { "" }
        return model
    }

    /// A number as a field takes it: without an exponent.
    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int64(value))" : "\(value)"
    }
}
