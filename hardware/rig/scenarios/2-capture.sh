# Capture: 4x4 and 8x8 at full gadget speed, every frame accounted for, the driver given back
# quick
# weight 20

row 'capture 8x8 from its first byte on, full speed' 'every frame, numbers equal to what was sent'
board 1
plug 1
capturing a --frames 40
must 'usbfs takes the port' within 10 bound 1 0 usbfs
firmware 1
must 'ends well' ended a 0
must '40 frames' same "$(lines a)" 40
must 'nothing lost' nothing_lost a
must 'contract' whole a
must 'numbers' same_numbers a 1
must 'live, and depth of evidence' text /tmp/a.jsonl '"source":"live","evidenceLevel":"l1_measured"'

row 'afterwards' 'cdc_acm has both interfaces, cat reads the tty, nothing runs'
must 'usable' usable 1

row 'configure 4x4, 48 bins, 30 Hz' 'that shape, as configured, numbers equal'
capturing a --zones 4x4 --bins 48 --rate 30 --frames 60
must 'frames come' within 20 has_lines a 5
must 'usbfs has the port meanwhile' bound 1 0 usbfs
must 'and its tty is away' same "$(ls /sys/bus/usb/devices/1-1:1.0/tty 2>/dev/null)" ''
must 'ends well' ended a 0
must '60 frames' same "$(lines a)" 60
must 'nothing lost' nothing_lost a
must 'as configured' same "$(member /tmp/a.json binTiming)" configured
must 'contract' whole a
must 'numbers' same_numbers a 1
must 'given back' given_back 1

row 'a second capture joins in mid-stream, behind stale bytes' 'one torn frame at most, then numbers equal, none missing'
capture a --zones 4x4 --bins 48 --start-bin 30 --subsample 1 --no-configure --frames 30
must 'ends well' same "$?" 0
must 'one frame refused at most' rejected_at_most a 1
must 'no gap' text /tmp/a.json '"gaps":\[\]'
must 'numbers' same_numbers a 1
must 'usable' usable 1

row 'the same board at high speed (512-byte packets), with a recording' 'numbers equal, the recording replays to the same'
power_off 1
unplug 1
board 1 "$(serial_of 1)" high-speed
firmware 1
plug 1
must 'high speed' same "$(cat /sys/bus/usb/devices/1-1/speed)" 480
capture a --frames 20 --record /tmp/a.pcap
must 'ends well' same "$?" 0
must 'numbers' same_numbers a 1
nlos-bridge replay /tmp/a.pcap --fast -o /tmp/again.jsonl 2>/tmp/err
must 'replay ends well' same "$?" 0
must 'the replay has the same numbers' same_numbers again 1
must 'given back' given_back 1
