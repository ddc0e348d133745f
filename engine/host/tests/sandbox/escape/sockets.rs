//! Sockets: of the host, of its daemons, of the network.

use std::{
    io,
    net::{Ipv4Addr, TcpStream, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram, UnixStream},
    },
};

use libc::{EACCES, ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENOENT, ENOTSOCK, EPERM};

use super::{
    Attempt, Stop,
    system::{at, at_mut, call, try_call},
};

/// An address that is nobody's (RFC 5737).
const NOBODY: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside(
        "sockets/hidden",
        "connect to a socket in a hidden directory, such as an agent's",
        Stop::Covers,
        &[ENOENT, ECONNREFUSED],
        |ground| UnixStream::connect(ground.hidden("socket")).map(drop),
    )
    .refused_without_namespaces(),
    Attempt::inside(
        "sockets/in-sight",
        "connect to a socket in a directory in sight, such as a container engine's",
        Stop::Covers,
        &[ECONNREFUSED, ENOTSOCK, EACCES],
        |ground| UnixStream::connect(ground.shown("socket")).map(drop),
    )
    .refused_without_namespaces(),
    Attempt::inside(
        "sockets/run",
        "connect to the engine's, the bus's or the init system's socket in `/run`",
        Stop::Covers,
        &[ENOENT, ECONNREFUSED],
        |_| {
            let paths =
                ["/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"];
            any(paths.map(|path| UnixStream::connect(path).map(drop)))
        },
    ),
    Attempt::inside("sockets/datagram", "write to the system's log", Stop::Covers, &[ENOENT, ECONNREFUSED], |_| {
        let log = UnixDatagram::unbound()?;
        any(["/dev/log", "/run/systemd/journal/dev-log"].map(|path| log.send_to(b"runmill", path).map(drop)))
    }),
    Attempt::inside("sockets/abstract", "connect to an abstract socket", Stop::Network, &[ECONNREFUSED], |ground| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(ground.abstract_name())?).map(drop)
    }),
    Attempt::inside(
        "sockets/loopback-tcp",
        "connect to a port of the host's loopback",
        Stop::Network,
        &[ECONNREFUSED],
        |ground| TcpStream::connect((Ipv4Addr::LOCALHOST, ground.tcp_port())).map(drop),
    ),
    Attempt::inside(
        "sockets/loopback-udp",
        "send a datagram to a port of the host's loopback",
        Stop::Network,
        &[ECONNREFUSED],
        |ground| {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.connect((Ipv4Addr::LOCALHOST, ground.udp_port()))?;
            socket.send(b"runmill")?;
            socket.recv(&mut [0]).map(drop)
        },
    ),
    Attempt::inside(
        "sockets/world-tcp",
        "connect to an address outside",
        Stop::Network,
        &[ENETUNREACH, EHOSTUNREACH],
        |_| TcpStream::connect((NOBODY, 80)).map(drop),
    ),
    Attempt::inside(
        "sockets/world-udp",
        "send a datagram to a name server",
        Stop::Network,
        &[ENETUNREACH, EHOSTUNREACH],
        |_| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?.send_to(b"runmill", (NOBODY, 53)).map(drop),
    ),
    Attempt::inside("sockets/raw", "make a raw socket", Stop::Capabilities, &[EPERM], |_| {
        open(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP)
    }),
    Attempt::inside("sockets/packet", "make a packet socket", Stop::Filter, &[EPERM], |_| {
        open(libc::AF_PACKET, libc::SOCK_RAW, 0)
    }),
    Attempt::inside("sockets/vsock", "make a socket to the hypervisor", Stop::Filter, &[EPERM], |_| {
        open(libc::AF_VSOCK, libc::SOCK_STREAM, 0)
    }),
    Attempt::inside("sockets/alg", "make a socket to the kernel's ciphers", Stop::Filter, &[EPERM], |_| {
        open(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)
    }),
    Attempt::inside("sockets/netlink", "change an interface with netlink", Stop::Capabilities, &[EPERM], |_| {
        let socket = call(libc::SYS_socket, [libc::AF_NETLINK.into(), libc::SOCK_RAW.into(), 0])?;
        // RTM_NEWLINK, acknowledged: interface 1 goes down.
        let message = [32_u32, (5 << 16) | 16, 1, 0, 0, 1, 0, 1];
        try_call(libc::SYS_sendto, [socket, at(&message), 32, 0, 0, 0])?;
        let mut answer = [0_i32; 64];
        call(libc::SYS_recvfrom, [socket, at_mut(&mut answer), 256, 0, 0, 0])?;
        match answer[4] {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(-error)),
        }
    }),
];

fn open(family: i32, kind: i32, protocol: i32) -> io::Result<()> {
    try_call(libc::SYS_socket, [family.into(), kind.into(), protocol.into()])
}

/// The first that worked, or the last refusal.
fn any<const N: usize>(results: [io::Result<()>; N]) -> io::Result<()> {
    let mut results = Vec::from(results);
    let worked = results.iter().position(Result::is_ok);
    results.swap_remove(worked.unwrap_or(N - 1))
}
