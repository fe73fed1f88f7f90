# For packagers and for `make install`. Everything else is in scripts/.
#
#   make install PREFIX=/usr DESTDIR=/tmp/root
#
# udev reads rules in /usr/lib and /usr/local/lib (and /etc): any other PREFIX needs UDEVDIR=/etc/udev.

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
UDEVDIR ?= $(PREFIX)/lib/udev

PROGRAM ?= .build/release/nlos-bridge
RULES = 70-nlos-bridge.rules

all:
	. scripts/lib.sh && need build && build_program

$(PROGRAM):
	$(MAKE) all

install: $(PROGRAM)
	install -D -m 755 $(PROGRAM) "$(DESTDIR)$(BINDIR)/nlos-bridge"
	install -D -m 644 docs/man/nlos-bridge.1 "$(DESTDIR)$(MANDIR)/man1/nlos-bridge.1"
	install -D -m 644 udev/$(RULES) "$(DESTDIR)$(UDEVDIR)/rules.d/$(RULES)"
	@test -n "$(DESTDIR)" || echo "for boards that are already plugged in: udevadm control --reload && udevadm trigger --attr-match=idVendor=0483"

uninstall:
	rm -f "$(DESTDIR)$(BINDIR)/nlos-bridge" "$(DESTDIR)$(MANDIR)/man1/nlos-bridge.1" "$(DESTDIR)$(UDEVDIR)/rules.d/$(RULES)"

test:
	scripts/test

clean:
	rm -rf .build

.PHONY: all install uninstall test clean
