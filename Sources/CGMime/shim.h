// What Swift cannot import of GMime: GObject cast and type-test macros. No logic.
#ifndef FUNDMAIL_CGMIME_SHIM_H
#define FUNDMAIL_CGMIME_SHIM_H

#include <gmime/gmime.h>
#include <iconv.h>

static inline int fundmail_is_multipart(GMimeObject *object) { return GMIME_IS_MULTIPART(object); }
static inline int fundmail_is_message_part(GMimeObject *object) { return GMIME_IS_MESSAGE_PART(object); }
static inline int fundmail_is_part(GMimeObject *object) { return GMIME_IS_PART(object); }

static inline GMimeMultipart *fundmail_as_multipart(GMimeObject *object) { return (GMimeMultipart *)object; }
static inline GMimeMessagePart *fundmail_as_message_part(GMimeObject *object) { return (GMimeMessagePart *)object; }
static inline GMimePart *fundmail_as_part(GMimeObject *object) { return (GMimePart *)object; }
static inline GMimeObject *fundmail_message_as_object(GMimeMessage *message) { return (GMimeObject *)message; }

// Where a stream begins and ends in the stream that it is a part of; end is -1 when it goes on to the end.
static inline gint64 fundmail_stream_start(GMimeStream *stream) { return stream->bound_start; }
static inline gint64 fundmail_stream_end(GMimeStream *stream) { return stream->bound_end; }

// The stream leaves the descriptor open when it goes.
static inline void fundmail_stream_fs_disown(GMimeStream *stream) {
    g_mime_stream_fs_set_owner((GMimeStreamFs *)stream, FALSE);
}

#endif
