/* wslay: RFC 6455 frames and messages. */
#pragma once
#include <wslay/wslay.h>
