internal import FundCore
internal import FundHTTP
internal import Hummingbird

/// The answer to a form of the set-up, on the page with the form. A field that cannot be used is marked by the form.
struct SetupAnswerView {
    let words: Words
    /// First part of the keys in the table of words.
    let form: String
    /// Address of the page that follows when something was added.
    let next: String

    /// Adds the answer to the model of the form.
    /// - Returns: the status of the response; and the title of the page, nil for that of the form.
    /// - Throws: `forbidden` for a person who is no administrator any more.
    func add<Field>(
        _ answer: SetupAnswer<Field>, to model: inout PageModel
    ) throws -> (status: HTTPResponse.Status, title: String?) {
        switch answer {
        case .wrong: return (.unprocessableContent, nil)
        case .busy:
            model.fail(words("\(form).busy"))
            return (.serviceUnavailable, nil)
        case .forbidden: throw RequestError.forbidden
        case .failed(let findings):
            model.fail(words("\(form).failed"))
            show(findings, on: &model)
            model["hasFailed"] = true
            return (.unprocessableContent, nil)
        case .added(let name, let findings):
            show(findings, on: &model)
            model["added"] = ["name": name, "next": next] as PageModel
            return (.ok, words("\(form).added"))
        case .byHand(let why, let lines, let findings):
            model.fail(words("newmailbox.byhand"))
            model["byHand"] = ["why": why, "lines": lines.isEmpty ? nil : lines] as PageModel
            show(findings, on: &model)
            return (.conflict, nil)
        }
    }

    private func show(_ findings: [Finding], on model: inout PageModel) {
        model["hasFindings"] = !findings.isEmpty
        model["findings"] = findings.map { PageRoute.row($0, words) }
    }
}
