//! Checks that talk to anything beyond their own loopback.

use std::{
    net::TcpListener,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener},
    },
    process::Command,
};

use crate::harness::{Repo, User, listed};

/// Connects to each place and lists, as JUnit, `refused-X` or `reached-X`; then proves that its own loopback works.
const PROBE: &str = r#"
use Socket;
my ($port, $name) = @ARGV;
my @lines;
sub try_connect {
    my ($what, $family, $address) = @_;
    my $ok = socket(my $socket, $family, SOCK_STREAM, 0);
    alarm 5;
    local $SIG{ALRM} = sub { die };
    $ok &&= eval { connect($socket, $address) };
    alarm 0;
    push @lines, ($ok ? "reached-" : "refused-") . $what;
}
try_connect("outside", PF_INET, pack_sockaddr_in(53, inet_aton("192.0.2.1")));
try_connect("host-loopback", PF_INET, pack_sockaddr_in($port, inet_aton("127.0.0.1")));
try_connect("abstract", PF_UNIX, pack("Sa*", PF_UNIX, "\0$name"));
socket(my $own, PF_INET, SOCK_STREAM, 0);
bind($own, pack_sockaddr_in(0, inet_aton("127.0.0.1")));
listen($own, 1);
my ($own_port) = unpack_sockaddr_in(getsockname($own));
try_connect("own-loopback", PF_INET, pack_sockaddr_in($own_port, inet_aton("127.0.0.1")));
print "<testsuite>", (map { "<testcase name=\"$_\"/>" } @lines), "</testsuite>\n";
"#;

pub fn reaches_nothing(user: User) {
    let host = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = host.local_addr().unwrap().port().to_string();
    let name = format!("runmill-test-{}-{port}", std::process::id());
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();

    let repo = Repo::of(user);
    let report = ["refused-outside", "refused-host-loopback", "refused-abstract", "reached-own-loopback"];
    let cases: String = report.iter().map(|name| format!("<testcase name=\"{name}\"/>")).collect();
    repo.manifest([listed("unit")]).file("probe.pl", PROBE);
    repo.file("run.sh", format!("echo '<testsuite>{cases}</testsuite>' > unit.xml\n")).commit("base");
    repo.branch("change").file("run.sh", format!("perl probe.pl {port} {name} > unit.xml\n")).commit("connect");

    // The same program outside the sandbox does reach the host, so that a refusal means something.
    let outside = Command::new("perl").arg(repo.path().join("probe.pl")).args([&port, &name]).output().unwrap();
    let outside = String::from_utf8(outside.stdout).unwrap();
    assert!(outside.contains("reached-host-loopback") && outside.contains("reached-abstract"), "{outside}");

    let verdict = repo.check().verdict();
    verdict.is("ready").only_codes([]);
    assert_eq!(verdict.result("unit", "candidate")["report"]["total"], 4, "{verdict}");
}

/// Shape 34.
#[test]
fn reaches_nothing_but_its_own_loopback() {
    reaches_nothing(User::Same);
}
