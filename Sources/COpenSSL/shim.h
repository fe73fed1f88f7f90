/* OpenSSL: message digests. */
#pragma once
#include <openssl/evp.h>
