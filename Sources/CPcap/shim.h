/* libpcap: recordings that Wireshark opens. */
#pragma once
#include <pcap/pcap.h>
#include <pcap/usb.h>
