# What a bus does to transfers: odd and empty packets, stalls, overruns, resets; an ST-LINK with its real descriptors
# weight 20

chip 9 v2-1

row 'an ST-LINK/V2-1, byte for byte: 4 interfaces, packets of 8 and 16 bytes' 'frames, numbers equal, only its serial port touched'
nlos-bridge probe --json >/tmp/probe
must 'ready' same "$(member /tmp/probe access)" ready
capture a --frames 12
must 'status' same "$?" 0
must 'no gap' text /tmp/a.json '"gaps":\[\]'
must 'one torn frame at most, where it was joined' rejected_at_most a 1
must 'numbers' same_numbers a 9
must '2,250,000 baud was set' text /tmp/chip.9 'coding 2250000 8N1'
must 'no other endpoint was used' text /tmp/chip.9 'others none'
must_not 'never' grep -q 'others [0-9]' /tmp/chip.9
must 'given back' given_back 9

row 'configured, in writes of 8 bytes' 'as configured, numbers equal'
capture a --zones 4x4 --bins 16 --rate 20 --frames 20
must 'status' same "$?" 0
must 'as configured' same "$(member /tmp/a.json binTiming)" configured
must 'numbers' same_numbers a 9
must 'given back' given_back 9

row 'packets of 1, 7, 16, 3 bytes in turn' 'numbers equal'
capturing a --zones 4x4 --bins 8 --rate 5 --frames 15
must 'frames come' within 20 has_lines a 2
order 9 packets 1 7 16 3
must 'status' ended a 0
must 'nothing lost' nothing_lost a
must 'numbers' same_numbers a 9
chip_gone 9
chip 9 v2-1

row 'hundreds of packets without a byte' 'they mean nothing: numbers equal'
capturing a --frames 20
must 'frames come' within 20 has_lines a 3
order 9 empty 300
must 'status' ended a 0
must 'no gap' text /tmp/a.json '"gaps":\[\]'
must 'one torn frame at most, where it was joined' rejected_at_most a 1
must 'numbers' same_numbers a 9

row 'the endpoint stalls once in mid-stream' 'cleared and counted, frames go on'
capturing a --frames 20
must 'frames come' within 20 has_lines a 3
order 9 stall
must 'status' ended a 0
must 'counted' text /tmp/a.json '"stalls":1'
must 'whole lines' whole a
must 'given back' given_back 9

row 'the endpoint stalls again as soon as it is cleared' 'status 5, says so, given back'
capturing a
must 'frames come' within 20 has_lines a 3
order 9 stall-again 3
must 'status' ended a 5
must 'says so' text /tmp/a.err 'the endpoint stalled again right after it was cleared'
must 'whole lines' whole a
must 'given back' given_back 9
order 9 stall-again 0

row 'the board sends more than was asked for, twice' 'a named loss, frames go on'
chip_gone 9
chip 9 v2-1
capturing a --frames 20
must 'frames come' within 20 has_lines a 3
order 9 overlong 2
must 'status' ended a 0
must 'whole lines' whole a
must 'named' text /tmp/a.json '"reason":'
must 'given back' given_back 9

row 'forty line errors in a row' 'frames go on'
capturing a --frames 20
must 'frames come' within 20 has_lines a 3
order 9 bad-crc 40
must 'status' ended a 0
must 'whole lines' whole a
must 'given back' given_back 9

row 'SET_LINE_CODING is refused' 'status 5, names the request, given back'
order 9 refuse 32
capture a --frames 1
must 'status' same "$?" 5
must 'names it' text /tmp/a.err 'SET_LINE_CODING'
must 'given back' given_back 9
order 9 refuse

row 'the board takes no bytes while it is configured' 'status 5, in bounded time, given back'
order 9 hold-output
capturing a --zones 4x4 --bins 16 --frames 1
must 'ends' within 30 dead "$(program_of a)"
must 'status' ended a 5
must 'names what failed' text /tmp/a.err 'write'
must 'given back' given_back 9

row 'the device is reset while streaming' 'opened again, a named gap, frames go on'
chip_gone 9
chip 9 v2-1
capturing a --frames 40
must 'frames come' within 20 has_lines a 3
must 'reset' rig-board --reset "$(node 9)"
must 'status' ended a 0
must 'said' text /tmp/a.err 'opened again'
must 'named' text /tmp/a.json '"reason":"bytes_lost"'
must 'whole lines' whole a
must 'given back' given_back 9

row 'the device is reset at rest' 'works'
must 'reset' rig-board --reset "$(node 9)"
within 10 bound 9 3 cdc_acm
capture a --frames 5
must 'status' same "$?" 0
must 'numbers' same_numbers a 9
must 'given back' given_back 9

row 'through its tty (--port)' 'numbers equal'
capture a --port "$(tty 9)" --frames 10
must 'status' same "$?" 0
must 'numbers' same_numbers a 9
must 'rate' text /tmp/chip.9 'coding 2250000 8N1'

row 'unplugged in mid-stream' 'status 1, sensor_disconnected'
capturing a
must 'frames come' within 20 has_lines a 3
chip_gone 9
must 'status' ended a 1
must 'end' end_is a sensor_disconnected
must 'whole lines' whole a

row 'an STLINK-V3E at high speed, packets of 512 bytes' 'numbers equal'
chip 9 v3e
must 'high speed' same "$(cat /sys/bus/usb/devices/9-1/speed)" 480
capture a --frames 10
must 'status' same "$?" 0
must 'numbers' same_numbers a 9
must 'given back' given_back 9
chip_gone 9

row 'an STLINK-V3 with two serial ports' 'the first is the target; the second stays with the kernel'
chip 9 two-ports
capturing a --frames 15
must 'frames come' within 20 has_lines a 3
must 'the second port is not touched' bound 9 4 cdc_acm
must 'status' ended a 0
must 'numbers' same_numbers a 9
must 'given back' given_back 9
chip_gone 9
