# What a firmware does: restarts, a missing sensor, refusals, a misaligned receiver, silence, garbage, twenty minutes
# weight 60

board 1
plug 1

# with FAULTS...: the firmware starts with these.
with() {
    power_off 1
    faults=
    for fault in "$@"; do faults="$faults --fault $fault"; done
    firmware 1 $faults
}

row 'it restarts in mid-stream, joined' 'the banner is seen, a gap named board_reset, one frame damaged each time, goes on'
with reset-after=12
capture a --frames 20
must 'status' same "$?" 0
must 'gap' text /tmp/a.json '"reason":"board_reset"'
must 'damage named' text /tmp/a.json '"damaged_by_reset":1'
must 'whole lines' whole a

row 'it restarts in mid-stream, configured' 'the configuration is sent again'
with reset-after=12
capture a --zones 4x4 --bins 16 --rate 20 --frames 20
must 'status' same "$?" 0
must 'said' text /tmp/a.err 'sending it again'
must 'gap' text /tmp/a.json '"reason":"board_reset"'
must 'whole lines' whole a

row 'the sensor is missing' 'status 5, names the sensor, not the cable'
with not-detected
capture a --zones 4x4 --bins 16 --frames 1
must 'status' same "$?" 5
must 'said' text /tmp/a.err 'VL53LMZ not detected'
must 'usable' given_back 1

row 'the sensor has a wrong id (goes on silently)' 'status 5, no stream'
with wrong-sensor
capture a --frames 1
must 'status' same "$?" 5
must 'said' text /tmp/a.err 'nothing arrived for'
must 'usable' given_back 1

row 'it refuses every configuration' 'status 5, with the firmware line'
with refuse
capture a --zones 4x4 --bins 16 --frames 1
must 'status' same "$?" 5
must 'said' text /tmp/a.err 'process_config'
must 'usable' given_back 1

row 'its receiver is out of step' 'realigned, and then configured'
with misaligned=7
capture a --zones 4x4 --bins 16 --rate 20 --frames 10
must 'status' same "$?" 0
must 'said' text /tmp/a.err 'realigning'
must 'as configured' same "$(member /tmp/a.json binTiming)" configured
must 'whole lines' whole a

row 'it falls silent' 'status 5, whole lines'
with silence-after=10
capture a
must 'status' same "$?" 5
must 'said' text /tmp/a.err 'nothing arrived for'
must 'whole lines' whole a
must 'given back' given_back 1

row 'garbage, as at a wrong rate' 'status 5, asks about the baud rate'
with wrong-rate
capture a --frames 1
must 'status' same "$?" 5
must 'said' text /tmp/a.err 'wrong baud rate?'
must 'given back' given_back 1

row 'twenty minutes of stream' 'every frame, memory flat'
unplug 1
chip 9 v2-1
capturing a --zones 4x4 --bins 8 --rate 3 --seconds 1200
sleep 60
early=$(memory "$(program_of a)")
sleep 1080
late=$(memory "$(program_of a)")
echo "   memory after a minute: $early kB, after 19: $late kB"
within 70 dead "$(program_of a)"
must 'ends well' ended a 0
must 'nothing lost' nothing_lost a
must 'numbers' same_numbers a 9
must 'as many frames as that' has_lines a 3550
must 'memory is known' test "$early" -gt 1000
must 'memory flat' test "$late" -le $((early + 1024))
must 'given back' given_back 9
