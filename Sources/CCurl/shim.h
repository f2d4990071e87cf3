// What Swift cannot import of libcurl: its variadic functions, typed. No logic.
#ifndef FUNDMAIL_CCURL_SHIM_H
#define FUNDMAIL_CCURL_SHIM_H

#include <curl/curl.h>

static inline CURLcode fundmail_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode fundmail_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode fundmail_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode fundmail_curl_set_debug(CURL *handle, curl_debug_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, callback);
}

static inline CURLcode fundmail_curl_set_opensocket(CURL *handle, curl_opensocket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

// Called with OpenSSL's SSL_CTX before the connection is encrypted; other TLS libraries do not know it.
static inline CURLcode fundmail_curl_set_tls_context(CURL *handle, curl_ssl_ctx_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline CURLcode fundmail_curl_get_socket(CURL *handle, curl_socket_t *value) {
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}

// The server's certificates, its own first; belongs to the handle.
static inline CURLcode fundmail_curl_get_certificates(CURL *handle, struct curl_certinfo **value) {
    return curl_easy_getinfo(handle, CURLINFO_CERTINFO, value);
}

// Whether the connection of the handle is encrypted now.
static inline int fundmail_curl_has_tls(CURL *handle) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return 0;
    return session->backend != CURLSSLBACKEND_NONE && session->internals != NULL;
}

// Calls OpenSSL's SSL_ctrl on the connection's SSL; does nothing with another TLS library.
static inline void fundmail_curl_control_tls(
    CURL *handle, long (*ssl_ctrl)(void *, int, long, void *), int command, long value) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return;
    if (session->backend == CURLSSLBACKEND_OPENSSL && session->internals != NULL) {
        ssl_ctrl(session->internals, command, value, NULL);
    }
}

#endif
