/* Linux calls that the Swift overlay of the C library leaves out. */
#pragma once
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>

/* A tty's settings as the kernel keeps them, with the line rate as a number.
 * <asm/termbits.h> has this as struct termios2 and cannot be included beside the C library's <termios.h>. */
struct nlos_termios2 {
    uint32_t c_iflag, c_oflag, c_cflag, c_lflag;
    uint8_t c_line, c_cc[19];
    uint32_t c_ispeed, c_ospeed;
};

#define NLOS_BOTHER 0010000u /* c_cflag: the rate is c_ospeed, not one of a list */
#define NLOS_CBAUD 0010017u

static inline int nlos_tty_get(int fd, struct nlos_termios2 *settings) {
    return ioctl(fd, _IOR('T', 0x2A, struct nlos_termios2), settings); /* TCGETS2 */
}
/* At once: does not wait until what was written has gone out. */
static inline int nlos_tty_set(int fd, const struct nlos_termios2 *settings) {
    return ioctl(fd, _IOW('T', 0x2B, struct nlos_termios2), settings); /* TCSETS2 */
}
/* While set, only a privileged process can open the tty once more. */
static inline int nlos_tty_set_exclusive(int fd, int on) { return ioctl(fd, on ? TIOCEXCL : TIOCNXCL); }
static inline int nlos_tty_get_exclusive(int fd, int *on) { return ioctl(fd, TIOCGEXCL, on); }
/* Raises DTR and RTS, or drops both. */
static inline int nlos_tty_set_modem_lines(int fd, int up) {
    int lines = TIOCM_DTR | TIOCM_RTS;
    return ioctl(fd, up ? TIOCMBIS : TIOCMBIC, &lines);
}
/* The numbers of the tty behind the node: for /dev/tty and /dev/console the real one, for a pseudo-terminal's master its other end. */
static inline int nlos_tty_device(int fd, unsigned int *major_number, unsigned int *minor_number) {
    unsigned int device = 0;
    int result = ioctl(fd, TIOCGDEV, &device);
    *major_number = gnu_dev_major(device);
    *minor_number = gnu_dev_minor(device);
    return result;
}

/* The timer's descriptor is readable from so many nanoseconds on, at least 1, until it is armed again or read. */
static inline int nlos_timer_arm(int timer, uint64_t after_ns) {
    struct itimerspec setting = {{0, 0}, {(time_t)(after_ns / 1000000000u), (long)(after_ns % 1000000000u)}};
    return timerfd_settime(timer, 0, &setting, NULL);
}

/* Hidden behind _GNU_SOURCE; waits with a nanosecond limit, or for ever when it is NULL. */
extern int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
/* Hidden likewise: a pipe that no child process inherits. */
extern int pipe2(int ends[2], int flags);

/* Hidden behind _GNU_SOURCE too; gives a file another name unless that is taken (flag 1). */
extern int renameat2(int, const char *, int, const char *, unsigned int);
#define NLOS_RENAME_NOREPLACE 1u

/* Whether a core of this process may be written and another process may attach to it: 0 no, 1 yes. prctl is variadic. */
static inline int nlos_get_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
static inline int nlos_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }
