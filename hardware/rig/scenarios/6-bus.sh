# What a bus does: reset, suspend, configuration 0, drivers unbound, the module unloaded
# weight 25

device=/sys/bus/usb/devices/1-1
board 1
plug 1
firmware 1

row 'suspended at rest (autosuspend on)' 'capture wakes it; numbers equal; sleeps again'
echo 0 >$device/power/autosuspend_delay_ms
echo auto >$device/power/control
must 'it sleeps' within 10 grep -q suspended $device/power/runtime_status
capture a --frames 10
must 'status' same "$?" 0
must 'numbers' same_numbers a 1
must 'it sleeps again' within 10 grep -q suspended $device/power/runtime_status
echo on >$device/power/control
must 'usable' usable 1

row 'configuration set to 0 and back, at rest' 'no serial interface meanwhile; works afterwards'
echo 0 >$device/bConfigurationValue
nlos-bridge probe --json >/tmp/probe
must 'probe says why' same "$(member /tmp/probe access)" no_serial_interface
echo 1 >$device/bConfigurationValue
must 'cdc_acm is back' within 10 bound 1 1 cdc_acm
udevadm settle
power_off 1
firmware 1
capture a --frames 3
must 'status' same "$?" 0
must 'usable' usable 1

row 'configuration set to 0 and back while streaming' 'ends in bounded time, says why, works afterwards'
capturing a
must 'frames come' within 20 has_lines a 3
echo 0 >$device/bConfigurationValue
sleep 1
echo 1 >$device/bConfigurationValue
must 'ends' within 30 dead "$(program_of a)"
told a
must 'whole lines' whole a
within 10 bound 1 1 cdc_acm
power_off 1
firmware 1
capture a --frames 3
must 'works afterwards' same "$?" 0
must 'usable' usable 1

row 'deauthorized while streaming, and authorized again' 'the same'
capturing a
must 'frames come' within 20 has_lines a 3
echo 0 >$device/authorized
must 'ends' within 30 dead "$(program_of a)"
told a
must 'whole lines' whole a
echo 1 >$device/authorized
within 10 bound 1 1 cdc_acm
power_off 1
firmware 1
capture a --frames 3
must 'works afterwards' same "$?" 0
must 'usable' usable 1

row 'driver unbound by hand before we come' 'works, and the driver has it in the end'
echo 1-1:1.0 >/sys/bus/usb/drivers/cdc_acm/unbind
must 'no driver' bound 1 0 ''
capture a --frames 3
must 'status' same "$?" 0
must 'usable' usable 1

row 'the interface taken away by hand while streaming (usbfs unbound)' 'opened again, a named gap, frames go on'
capturing a --frames 30
must 'frames come' within 20 has_lines a 3
echo 1-1:1.1 >/sys/bus/usb/drivers/usbfs/unbind
must 'status' ended a 0
told a
must 'said' text /tmp/a.err 'opened again'
must 'named' text /tmp/a.json '"reason":"bytes_lost"'
must 'whole lines' whole a
must 'usable' usable 1

row 'cdc_acm unloaded while streaming, loaded afterwards' 'frames go on, the port is found by the driver when it comes'
capturing a --frames 30
must 'frames come' within 20 has_lines a 3
rmmod cdc_acm
must 'ends well' ended a 0
must 'numbers' same_numbers a 1
modprobe cdc_acm
must 'usable' usable 1

row 'cdc_acm unloaded at rest' 'capture works without any driver'
rmmod cdc_acm
capture a --frames 3
must 'status' same "$?" 0
modprobe cdc_acm
must 'usable' usable 1

row 'the machine sleeps and wakes while streaming (suspend to idle)' 'ends or goes on in bounded time, whole lines, works afterwards'
echo devices >/sys/power/pm_test
echo 0 >/sys/module/suspend/parameters/pm_test_delay # it would spin for five seconds
capturing a --seconds 20
must 'frames come' within 20 has_lines a 3
echo freeze >/sys/power/state
before=$(lines a)
within 30 dead "$(program_of a)"
echo "   $before frames at the time of sleep, $(lines a) in the end"
must 'ended' dead "$(program_of a)"
told a
must 'whole lines' whole a
power_off 1
firmware 1
capture a --frames 3
must 'works afterwards' same "$?" 0
must 'usable' usable 1
