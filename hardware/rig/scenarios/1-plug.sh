# Plug: udev's rule, probe as root and as users, probe --watch
# quick
# weight 5

tags() { udevadm info -q property -n "$1"; }
as() { user=$1; shift; su -s /bin/sh "$user" -c "$*"; }

row 'plug without our rule, probe as root' 'ready, 0483:374b, serial, tty, cdc_acm'
board 1
firmware 1
plug 1
nlos-bridge probe --json >/tmp/probe
must 'probe ends well' same "$?" 0
must 'access ready' same "$(member /tmp/probe access)" ready
must 'place on the bus' text /tmp/probe '"path":"usb:1-1"'
must 'serial number' text /tmp/probe "\"serial\":\"$(serial_of 1)\""
must 'ids' text /tmp/probe '"vendorId":"0483","productId":"374b"'
must 'kernel driver' text /tmp/probe '"kernelDriver":"cdc_acm"'

row 'the same as an ordinary user' 'denied, exit 4 from capture, message names the rule'
as user nlos-bridge probe --json >/tmp/probe
must 'access denied' same "$(member /tmp/probe access)" denied
as user nlos-bridge capture --session s --sensor-id i --fixed-sensor --frames 1 >/tmp/out 2>/tmp/err
must 'capture says status 4' same "$?" 4
must 'and what to do' text /tmp/err '70-nlos-bridge.rules'
must 'nothing on standard output' same "$(cat /tmp/out)" ''

row 'our rule installed, udevadm trigger' 'uaccess, ModemManager ignores, no autosuspend, links'
cp /rig/70-nlos-bridge.rules /lib/udev/rules.d/
udevadm control --reload
echo auto >/sys/bus/usb/devices/1-1/power/control
udevadm trigger --action=change /sys/bus/usb/devices/1-1 "/sys/class/tty/$(basename "$(tty 1)")"
udevadm settle
tags "$(node 1)" >/tmp/usb
tags "$(tty 1)" >/tmp/tty
must 'device: ModemManager ignores it' text /tmp/usb '^ID_MM_DEVICE_IGNORE=1'
must 'device: seat access' text /tmp/usb '^TAGS=.*:uaccess:'
must 'tty: ModemManager ignores it' text /tmp/tty '^ID_MM_PORT_IGNORE=1'
must 'tty: seat access' text /tmp/tty '^TAGS=.*:uaccess:'
must 'autosuspend is off' same "$(cat /sys/bus/usb/devices/1-1/power/control)" on
must 'link to the device' same "$(readlink -f "/dev/nlos-bridge/usb-$(serial_of 1)")" "$(node 1)"
must 'link to the tty' same "$(readlink -f "/dev/nlos-bridge/tty-$(serial_of 1)-00")" "$(tty 1)"

row 'probe and capture as the user at the seat' 'ready; frames'
as user nlos-bridge probe --json >/tmp/probe
must 'access ready' same "$(member /tmp/probe access)" ready
as user nlos-bridge capture --session s --sensor-id i --fixed-sensor --frames 2 >/tmp/out 2>/tmp/err
must 'capture ends well' same "$?" 0
must 'two frames' same "$(wc -l </tmp/out)" 2
must 'driver given back' given_back 1

row 'a user who is not at the seat' 'denied'
as member nlos-bridge probe --json >/tmp/probe
must 'access denied' same "$(member /tmp/probe access)" denied

row 'probe --watch over unplug and plug' 'present, removed, added, in this order, and ready'
beside nlos-bridge probe --watch --json >/tmp/watch &
watch=$!
must 'present' within 10 text /tmp/watch '"change":"present"'
unplug 1
must 'removed' within 10 text /tmp/watch '"change":"removed"'
firmware 1
plug 1
must 'added' within 10 text /tmp/watch '"change":"added"'
usleep 500000
kill -INT "$watch"
wait "$watch"
must 'status of an interrupt' same "$?" 130
must 'the order' same "$(sed 's/.*"change":"\([a-z_]*\)".*"access":"\([a-z_]*\)".*/\1 \2/' /tmp/watch | grep -v access_changed | cut -d' ' -f1 | tr '\n' ' ')" 'present removed added '
must 'ready in the end' same "$(tail -n 1 /tmp/watch | sed 's/.*"access":"\([a-z]*\)".*/\1/')" ready
