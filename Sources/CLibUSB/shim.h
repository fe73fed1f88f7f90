/* libusb-1.0, with a static inline wrapper for each thing Swift cannot import. */
#pragma once
#include <libusb-1.0/libusb.h>

/* libusb_set_option is variadic. */
static inline int nlos_libusb_set_log_level(libusb_context *context, int level) {
    return libusb_set_option(context, LIBUSB_OPTION_LOG_LEVEL, level);
}
