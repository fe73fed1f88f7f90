# Unplug and replug: at rest, in mid-stream, within 100 ms and after 5 s; the same and another serial number
# quick
# weight 8

# Unplugged is said once, in one sentence, with the device's name.
says_unplugged() { text "/tmp/$1.err" 'usb:1-1: unplugged' && same "$(grep -c unplugged "/tmp/$1.err")" 1; }

board 1
plug 1
firmware 1

row 'unplug at rest' 'probe and capture: status 3, no sensor'
unplug 1
nlos-bridge probe >/tmp/out 2>/tmp/err
must 'probe' same "$?" 3
capture a --frames 1
must 'capture' same "$?" 3
must 'says so' text /tmp/a.err 'no sensor is attached'

row 'unplug in mid-stream' 'status 1, sensor_disconnected, whole lines, said once'
firmware 1
plug 1
capturing a --record /tmp/a.pcap
must 'frames come' within 20 has_lines a 3
unplug 1
must 'status' ended a 1
must 'end' end_is a sensor_disconnected
must 'said once' says_unplugged a
must 'whole lines' whole a
must 'recording complete' text /tmp/a.json '"complete":true'
must 'nothing runs' nothing_runs

row 'replug within 100 ms, same serial number' 'the old capture ends, a new one works'
firmware 1
plug 1
capturing a
must 'frames come' within 20 has_lines a 3
unplug 1
firmware 1
usleep 50000
plug 1
must 'status' ended a 1
capture b --frames 3
must 'the next one works' same "$?" 0
must 'numbers' same_numbers b 1
must 'usable' usable 1

row 'replug after 5 s' 'the same'
capturing a
must 'frames come' within 20 has_lines a 3
unplug 1
must 'status' ended a 1
sleep 5
firmware 1
plug 1
capture b --frames 3
must 'the next one works' same "$?" 0
must 'usable' usable 1

row 'another serial number in the same socket' '--sensor SERIAL finds only its own board'
board 1 066EFF000000000000000099
firmware 1
plug 1
capture a --sensor "$(serial_of 1)" --frames 1
must 'not this one' same "$?" 3
must 'names what was asked for' text /tmp/a.err "no sensor matches '$(serial_of 1)'"
capture a --sensor 066EFF00 --frames 2
must 'by the beginning of its own' same "$?" 0
must 'usable' usable 1
