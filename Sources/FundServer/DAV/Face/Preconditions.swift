internal import HTTPTypes
internal import Ingest

extension WebDAV {
    /// `If` (RFC 4918 §10.4), `If-Match`, `If-None-Match` and `If-Unmodified-Since` (RFC 9110 §13.1). Throws 412 when they do
    /// not hold.
    func checkConditions(_ resource: DAVResource, _ call: DAVCall) async throws {
        if let file = resource.file {
            guard
                Precondition(
                    call.fields, entityTag: file.entityTag, modifiedAt: file.modifiedAt, isReading: false) == .proceed
            else {
                throw Self.conditionFailed
            }
        } else {
            // Nothing there has no tag, and neither has a collection, but that is there.
            if call.fields.contains(.ifMatch), !(resource.isThere && call.fields[.ifMatch] == "*") {
                throw Self.conditionFailed
            }
            if resource.isThere, call.fields[.ifNoneMatch] == "*" { throw Self.conditionFailed }
        }
        guard let conditions = call.conditions else { return }
        for list in conditions.lists where try await holds(list, resource, call) { return }
        throw Self.conditionFailed
    }

    static let conditionFailed = DAVFailure(.preconditionFailed, "it is not in the state that the request asks for")

    private func holds(_ list: IfHeader.List, _ resource: DAVResource, _ call: DAVCall) async throws -> Bool {
        var subject = resource
        if let reference = list.resource {
            // What is not ours has no state here.
            guard let path = try? call.references.path(of: reference) else { return false }
            if path.names != resource.path.names { subject = try await self.resource(at: path, of: call.user) }
        }
        // What is not there is locked as far as its parent's deep locks go, so that it can be made there.
        let held = locks.locks(on: subject.wholeChain, of: call.user.id)
        let tokens = Set(held.map(\.lock.token))
        return list.conditions.allSatisfy { condition in
            let isTrue =
                switch condition.check {
                case .token(let token): tokens.contains(token)
                case .entityTag(let tag): tag == subject.entityTag
                }
            return isTrue != condition.isNegated
        }
    }
}
