# Sourced by scripts/rig: puts the guest's file system together from the machine's own Debian packages, without root.

modules="configfs usb-common usbcore udc-core libcomposite dummy_hcd u_serial usb_f_acm cdc-acm usbip-core vhci-hcd"

# The kernel is unpacked, never installed. One download; after that no network is needed.
kernel_package() {
    name=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p' | head -n 1)
    kernel=$(ls -d "$rig"/kernel/linux-image-* 2>/dev/null | tail -n 1)
    if [ -n "$name" ] && [ ! -d "$rig/kernel/$name" ]; then
        step "fetching $name (unpacked here, not installed)"
        rm -rf "$rig/fetch"
        mkdir -p "$rig/fetch" "$rig/kernel"
        if (cd "$rig/fetch" && quietly apt-get download "$name"); then
            dpkg-deb -x "$rig"/fetch/*.deb "$rig/fetch/$name"
            mv "$rig/fetch/$name" "$rig/kernel/$name"
            kernel=$rig/kernel/$name
        elif [ -z "$kernel" ]; then
            die "could not fetch $name; is apt's list of packages here (apt-get update), and the network?"
        fi
        rm -rf "$rig/fetch"
    fi
    [ -n "$kernel" ] || die "apt knows no linux-image-amd64: the guest needs Debian's kernel; try apt-get update"
    linux=$(ls "$kernel"/boot/vmlinuz-*)
    version=${linux##*/vmlinuz-}
    [ -s "$rig/vmlinux-$version" ] || unpack_kernel "$linux" "$rig/vmlinux-$version"
    [ ! -s "$rig/vmlinux-$version" ] || linux=$rig/vmlinux-$version
}

# unpack_kernel FROM TO: the kernel without its self-extractor, which would cost the emulated processor as much as all the rest of the
# boot. A file that is not packed with xz stays as it is and boots all the same. Source: the Linux/x86 boot protocol's setup_sects,
# payload_offset and payload_length.
unpack_kernel() {
    sectors=$(od -An -tu1 -j497 -N1 "$1" | tr -d ' ')
    offset=$(od -An -tu4 -j584 -N4 "$1" | tr -d ' ')
    tail -c "+$(((sectors + 1) * 512 + offset + 1))" "$1" | xz -dc --single-stream >"$2.new" 2>/dev/null && mv "$2.new" "$2" || rm -f "$2.new"
}

# copy FILE...: into the same place of the guest.
copy() {
    for file in "$@"; do
        mkdir -p "$root${file%/*}"
        cp -L "$file" "$root$file"
    done
}

# libraries PROGRAM...: whatever the loader would take.
libraries() {
    for program in "$@"; do ldd "$program" | grep -o '/[^ ]*'; done | sort -u
}

# archive DIRECTORY FILE: everything in it belongs to root there, whoever builds it here.
archive() { (cd "$1" && find . -print0 | cpio --null --quiet --create --format newc --owner 0:0) >"$2"; }

# What does not change between two runs: busybox, udev, openssl for the server, kernel modules.
base_image() {
    base=$rig/base-$version.cpio
    [ "$base" -nt "$PWD/hardware/rig/image.sh" ] && return
    root=$rig/base
    rm -rf "$root"
    mkdir -p "$root/bin" "$root/etc" "$root/proc" "$root/sys" "$root/dev" "$root/run" "$root/tmp" "$root/root"
    cp "$(command -v busybox)" "$root/bin/busybox"
    for applet in $("$root/bin/busybox" --list | grep -vx busybox); do ln -s busybox "$root/bin/$applet"; done
    cp "$(command -v udevadm)" "$root/bin/udevadm"
    udevd=$(ls /lib/systemd/systemd-udevd /usr/lib/systemd/systemd-udevd 2>/dev/null | head -n 1)
    mkdir -p "$root/lib/systemd" "$root/lib/udev/rules.d"
    # In Debian one program is both: it looks at the name that it is called by.
    cp -L "$udevd" "$root/lib/systemd/systemd-udevd"
    cp "$(command -v openssl)" "$root/bin/openssl"
    copy $(libraries "$udevd" "$(command -v udevadm)" "$(command -v openssl)")
    for rules in 50-udev-default 60-serial 60-persistent-storage 70-uaccess 71-seat 73-seat-late 80-drivers 99-systemd; do
        cp "/lib/udev/rules.d/$rules.rules" "$root/lib/udev/rules.d/"
    done
    for module in $modules; do
        (cd "$kernel" && find . -name "$module.ko*" | cpio --quiet --pass-through --make-directories "$root")
    done
    cp "$kernel/lib/modules/$version"/modules.order "$kernel/lib/modules/$version"/modules.builtin* "$root/lib/modules/$version/"
    depmod=$(PATH=$PATH:/usr/sbin:/sbin command -v depmod)
    "$depmod" -b "$root" "$version"
    archive "$root" "$base"
}

# The board of hardware/rig/board: on a virtual host controller, byte for byte what a descriptor dump says.
build_board() {
    step "building the rig's board"
    NLOS_RIG=1 quietly swift build -c release --static-swift-stdlib --product rig-board || die "the board does not build"
    board=$PWD/.build/release/rig-board
}

# What does: the program, its rules file, the board, the scenarios.
run_image() {
    run=$rig/run.cpio
    root=$rig/run
    rm -rf "$root"
    mkdir -p "$root/bin" "$root/rig" "$root/lib/udev/rules.d"
    strip -o "$root/bin/nlos-bridge" "$program"
    strip -o "$root/bin/rig-board" "$board"
    copy $(libraries "$program" "$board")
    cp udev/70-nlos-bridge.rules "$root/rig/"
    cp hardware/rig/guest/* "$root/rig/"
    cp -r "$scenarios" "$root/rig/scenarios"
    mv "$root/rig/init" "$root/init"
    echo "$seed" >"$root/rig/seed"
    archive "$root" "$run"
}
