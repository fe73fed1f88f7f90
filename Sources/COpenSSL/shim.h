/* OpenSSL: message digests, TLS, certificates. */
#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* Macros with arguments, and bits that Swift does not see. */
static inline int nlos_tls_set_oldest_version(SSL_CTX *context, int version) { return SSL_CTX_set_min_proto_version(context, version); }
static inline void nlos_tls_set_options(SSL_CTX *context) {
    /* Renegotiation and compression have no place in this protocol; a session is never resumed. */
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
/* The errno that an error of the queue carries; 0 for OpenSSL's own errors. */
static inline int nlos_err_errno(unsigned long code) { return ERR_SYSTEM_ERROR(code) ? ERR_GET_REASON(code) : 0; }
static inline int nlos_tls_set_server_name(SSL *connection, const char *name) { return SSL_set_tlsext_host_name(connection, name); }
