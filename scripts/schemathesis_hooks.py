"""What schemathesis does not know of itself, see scripts/schemathesis."""
import schemathesis

# The bytes that an upload goes on with (draft-ietf-httpbis-resumable-upload-12), as they are.
schemathesis.serializer.alias("application/partial-upload", "application/octet-stream")
