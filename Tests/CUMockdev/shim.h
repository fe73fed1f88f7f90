/* umockdev: a private /sys and /dev, with ioctls answered by a callback. Only for tests.
 *
 * The functions used here are declared by hand, because umockdev.h pulls in GLib's headers, which are found only through
 * pkg-config. Compile this file after umockdev.h to check it against the real ones: they agree, or it does not compile. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

typedef struct _UMockdevTestbed UMockdevTestbed;
typedef struct _UMockdevIoctlBase UMockdevIoctlBase;
typedef struct _UMockdevIoctlClient UMockdevIoctlClient;
typedef struct _UMockdevIoctlData UMockdevIoctlData;
typedef struct _GError GError;

extern UMockdevTestbed *umockdev_testbed_new(void);
extern char *umockdev_testbed_get_root_dir(UMockdevTestbed *testbed);
extern int umockdev_testbed_add_from_string(UMockdevTestbed *testbed, const char *data, GError **error);
extern void umockdev_testbed_set_attribute_link(
    UMockdevTestbed *testbed, const char *devpath, const char *name, const char *target);
extern void umockdev_testbed_remove_device(UMockdevTestbed *testbed, const char *syspath);
extern void umockdev_testbed_uevent(UMockdevTestbed *testbed, const char *devpath, const char *action);
extern int umockdev_testbed_attach_ioctl(
    UMockdevTestbed *testbed, const char *dev, UMockdevIoctlBase *handler, GError **error);
extern int umockdev_testbed_detach_ioctl(UMockdevTestbed *testbed, const char *dev, GError **error);

extern UMockdevIoctlBase *umockdev_ioctl_base_new(void);
extern unsigned long umockdev_ioctl_client_get_request(UMockdevIoctlClient *client);
extern UMockdevIoctlData *umockdev_ioctl_client_get_arg(UMockdevIoctlClient *client);
extern void umockdev_ioctl_client_complete(UMockdevIoctlClient *client, long result, int error);
extern UMockdevIoctlData *umockdev_ioctl_data_resolve(
    UMockdevIoctlData *data, unsigned long offset, unsigned long length, GError **error);
extern int umockdev_ioctl_data_set_ptr(UMockdevIoctlData *data, unsigned long offset, UMockdevIoctlData *child);
extern void umockdev_ioctl_data_update(UMockdevIoctlData *data, unsigned long offset, uint8_t *bytes, int count);
extern void umockdev_ioctl_data_retrieve(UMockdevIoctlData *data, uint8_t **bytes, int *count);

typedef struct _GClosure GClosure;
extern unsigned long g_signal_connect_data(
    void *instance, const char *signal, void (*handler)(void), void *data, void (*destroy)(void *, GClosure *),
    unsigned int flags);
typedef struct _GObject GObject;
extern void g_object_weak_ref(GObject *object, void (*notify)(void *context, GObject *object), void *context);
extern void g_object_unref(void *object);
extern void g_free(void *memory);
extern void g_error_free(GError *error);

/* Callback casts that Swift has no word for. */
typedef int (*NLOSIoctlHandler)(UMockdevIoctlBase *base, UMockdevIoctlClient *client, void *context);
typedef void (*NLOSClientHandler)(UMockdevIoctlBase *base, UMockdevIoctlClient *client, void *context);
typedef void (*NLOSGoneHandler)(void *context, GObject *object);

static inline void nlos_on_ioctl(UMockdevIoctlBase *base, const char *signal, NLOSIoctlHandler handler, void *context) {
    g_signal_connect_data(base, signal, (void (*)(void))handler, context, 0, 0);
}

static inline void nlos_on_connect(UMockdevIoctlBase *base, NLOSClientHandler handler, void *context) {
    g_signal_connect_data(base, "client-connected", (void (*)(void))handler, context, 0, 0);
}

/* umockdev 0.17.16 declares a signal "client-vanished" and never emits it; but it lets go of the object then. */
static inline void nlos_on_disconnect(UMockdevIoctlClient *client, NLOSGoneHandler handler, void *context) {
    g_object_weak_ref((GObject *)client, handler, context);
}

/* The usbfs requests; their macros are casts and shifts, which Swift does not import. */
static const unsigned long NLOS_USBFS_CONTROL = USBDEVFS_CONTROL;
static const unsigned long NLOS_USBFS_SETINTERFACE = USBDEVFS_SETINTERFACE;
static const unsigned long NLOS_USBFS_SETCONFIGURATION = USBDEVFS_SETCONFIGURATION;
static const unsigned long NLOS_USBFS_GETDRIVER = USBDEVFS_GETDRIVER;
static const unsigned long NLOS_USBFS_SUBMITURB = USBDEVFS_SUBMITURB;
static const unsigned long NLOS_USBFS_DISCARDURB = USBDEVFS_DISCARDURB;
static const unsigned long NLOS_USBFS_REAPURBNDELAY = USBDEVFS_REAPURBNDELAY;
static const unsigned long NLOS_USBFS_CLAIMINTERFACE = USBDEVFS_CLAIMINTERFACE;
static const unsigned long NLOS_USBFS_RELEASEINTERFACE = USBDEVFS_RELEASEINTERFACE;
static const unsigned long NLOS_USBFS_IOCTL = USBDEVFS_IOCTL;
static const unsigned long NLOS_USBFS_RESET = USBDEVFS_RESET;
static const unsigned long NLOS_USBFS_CLEAR_HALT = USBDEVFS_CLEAR_HALT;
static const unsigned long NLOS_USBFS_DISCONNECT = USBDEVFS_DISCONNECT;
static const unsigned long NLOS_USBFS_CONNECT = USBDEVFS_CONNECT;
static const unsigned long NLOS_USBFS_GET_CAPABILITIES = USBDEVFS_GET_CAPABILITIES;
static const unsigned long NLOS_USBFS_DISCONNECT_CLAIM = USBDEVFS_DISCONNECT_CLAIM;

/* Real and effective user of the calling thread alone; the C library's call changes all threads. The saved user stays. */
static inline int nlos_thread_user(unsigned int user) {
    return (int)syscall(SYS_setresuid, user, user, -1);
}

/* A pipe that children do not inherit; pipe2 hides behind a feature macro. */
static inline int nlos_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }
