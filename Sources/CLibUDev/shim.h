/* libudev: device facts from sysfs and the udev database, and plug events. */
#pragma once
#include <libudev.h>
