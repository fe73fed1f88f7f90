# Unplug at awkward moments: in the configuration handshake, and while a capture closes
# weight 12

# Unplugged is said once, in one sentence, with the device's name.
says_unplugged() { text "/tmp/$1.err" 'usb:1-1: unplugged' && same "$(grep -c unplugged "/tmp/$1.err")" 1; }

board 1
plug 1
firmware 1

row 'unplug in the configuration handshake, at eight moments' 'status 5 or 1 each time, nothing left'
for ms in 20 60 150 400 900 1500 2300 2700; do
    [ -e /sys/bus/usb/devices/1-1 ] || { firmware 1; plug 1; }
    capturing a --zones 4x4 --bins 16 --rate 20
    must "usbfs takes the port ($ms ms)" within 10 bound 1 0 usbfs
    usleep $((ms * 1000))
    unplug 1
    must "ends ($ms ms)" within 10 dead "$(program_of a)"
    wait "$(program_of a)"
    must "status ($ms ms: $?)" test "$?" -ne 0
    must "said once ($ms ms)" says_unplugged a
done
must 'nothing runs' nothing_runs

row 'unplug during close, at six moments' 'interrupted or unplugged, never a hang, nothing left'
for us in 0 300 1000 3000 8000 20000; do
    firmware 1
    plug 1
    capturing a
    must 'frames come' within 20 has_lines a 2
    kill -INT "$(program_of a)"
    [ "$us" -eq 0 ] || usleep "$us"
    unplug 1
    must "ends ($us us)" within 10 dead "$(program_of a)"
    wait "$(program_of a)"
    must "status 130 ($us us)" same "$?" 130
    must "whole lines ($us us)" whole a
done
must 'nothing runs' nothing_runs
