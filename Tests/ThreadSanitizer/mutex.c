// Tells the thread sanitizer about Swift's Mutex. Preloaded by scripts/test; part of no target.
//
// A Mutex that nobody contends for is a compare-and-exchange inside our own, instrumented code. A contended one goes
// through the futex calls of libswiftSynchronization, which the toolchain ships without instrumentation: the sanitizer
// then misses the hand-over and reports a race between two correctly locked blocks. These wrappers say what happened.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in processes without the sanitizer that inherit the preload.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void (*LockSlow)(uint32_t thread, SELF void *mutex);
typedef SWIFT void (*UnlockSlow)(SELF void *mutex);

static LockSlow lock_slow;
static UnlockSlow unlock_slow;

__attribute__((constructor)) static void find_originals(void) {
    lock_slow = (LockSlow)dlsym(RTLD_NEXT, LOCK_SLOW);
    unlock_slow = (UnlockSlow)dlsym(RTLD_NEXT, UNLOCK_SLOW);
}

SWIFT void locked(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT void locked(uint32_t thread, SELF void *mutex) {
    lock_slow(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlocking(SELF void *mutex) __asm__(UNLOCK_SLOW);
SWIFT void unlocking(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    unlock_slow(mutex);
}
