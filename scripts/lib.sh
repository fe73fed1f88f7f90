# Sourced by the scripts beside it: the package root, messages, and what has to be installed before anything is built.
# POSIX sh. The sourcing script has set `-eu` and run `cd` to the package root.

# One line a step.
step() { printf '==> %s\n' "$*"; }

# The last word of a script that cannot go on.
die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

exists() { [ -e "$1" ]; } # called with an unquoted pattern: true when it matches anything
has() { command -v "$1" >/dev/null 2>&1; }
header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]; }

# The Debian packages of what is absent here, by looking for the thing itself: a name in a package list proves nothing
# on a system that is not Debian 12.
missing_for() {
    for purpose in "$@"; do
        case $purpose in
        build)
            has ld || echo binutils
            header stdio.h || echo libc6-dev
            exists /usr/lib/gcc/*/*/crtbeginS.o || echo libgcc-12-dev
            exists /usr/lib/gcc/*/*/libstdc++.so || echo libstdc++-12-dev
            header libusb-1.0/libusb.h || echo libusb-1.0-0-dev
            header libudev.h || echo libudev-dev
            header pcap/pcap.h || echo libpcap-dev
            header openssl/ssl.h || echo libssl-dev
            header wslay/wslay.h || echo libwslay-dev
            # The toolchain's own libraries: a Swift that was unpacked from an archive brings none of them along.
            swift build --version >/dev/null 2>&1 || echo libcurl4 libncurses6 libsqlite3-0 libxml2
            ;;
        test)
            has umockdev-wrapper || echo umockdev
            header umockdev-1.0/umockdev.h || echo libumockdev-dev
            has udevadm || echo udev
            has tshark || echo tshark
            has mandoc || echo mandoc
            has make || echo make
            [ -x /usr/bin/python3 ] || echo python3
            /usr/bin/python3 -c 'import venv, ensurepip' >/dev/null 2>&1 || echo python3-venv
            has openssl || echo openssl
            [ -x /usr/sbin/nginx ] || echo nginx-light
            ;;
        rig)
            has qemu-system-x86_64 || echo qemu-system-x86
            has busybox && ! ldd "$(command -v busybox)" >/dev/null 2>&1 || echo busybox-static
            has udevadm || echo udev
            [ -x /sbin/depmod ] || [ -x /usr/sbin/depmod ] || echo kmod
            has cpio || echo cpio
            has xz || echo xz-utils
            has openssl || echo openssl
            ;;
        bench)
            python3 -c 'import venv, ensurepip' >/dev/null 2>&1 || echo python3-venv
            ;;
        esac
    done
}

# Runs a command whose output matters only on a terminal, as progress, or when it fails.
quietly() {
    if [ -t 1 ]; then
        "$@"
        return
    fi
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null && status=0 || status=$?
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# need build [test] [bench]: installs what is missing, and nothing at all when nothing is.
need() {
    has swift || die "swift is not in PATH: install Swift 6.3 or newer (https://www.swift.org/install/linux/) and add its usr/bin to PATH"
    packages=$(missing_for "$@" | tr '\n' ' ')
    if [ -n "$packages" ]; then
        has apt-get || die "this is not Debian; install what your system calls: $packages"
        if [ "$(id -u)" -eq 0 ]; then
            as_root=
        elif has sudo; then
            as_root=sudo
        else
            die "missing packages, and there is no sudo; as root: apt-get install -y --no-install-recommends $packages"
        fi
        step "installing $packages"
        quietly $as_root apt-get update || die "apt-get update failed"
        quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages ||
            die "could not install $packages"
    fi
    set -- $(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    [ $# -eq 2 ] || die "swift --version does not name a version: needs Swift 6.3 or newer"
    [ "$1" -gt 6 ] || { [ "$1" -eq 6 ] && [ "$2" -ge 3 ]; } || die "Swift $1.$2 is too old: needs 6.3 or newer"
}

# The release program, with the Swift runtime inside: it starts faster, and runs where no Swift is installed.
build_program() {
    step "building nlos-bridge (release)"
    quietly swift build -c release --static-swift-stdlib --product nlos-bridge || die "the build failed"
    program=$PWD/.build/release/nlos-bridge
}

# python_environment NAME REQUIREMENTS: a virtual environment .build/NAME with what the file lists, made anew when the list has changed.
python_environment() {
    folder=.build/$1
    ! cmp -s "$2" "$folder/requirements.txt" || return 0
    step "a Python environment for $2"
    rm -rf "$folder"
    /usr/bin/python3 -m venv "$folder" && quietly "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$2" ||
        die "could not install what $2 lists"
    cp "$2" "$folder/requirements.txt"
}

# Seconds since $1, for people.
since() { echo "$(($(date +%s) - $1)) s"; }
