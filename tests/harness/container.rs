//! The imitation of a container, as a command in front of the binary: the system calls that Docker's default profile refuses are
//! refused, and the directory of temporary files holds what belongs to the test and nothing else, so no socket of anybody.

use std::{collections::BTreeSet, path::Path};

/// Enters it and becomes the command in its arguments. Its own arguments: numbers of system calls as `name=number,..`; the
/// temporary directory; the directories to keep in it, joined by `:`.
const SCRIPT: &str = r#"
use strict;
use Fcntl;
my ($numbers, $temporary, $keep) = (shift, shift, shift);
my %n = map { split /=/ } split /,/, $numbers;
sub must { my ($what, $result) = @_; die "$what: $!" if $result == -1 }
sub put { my ($file, $text) = @_; open(my $to, ">", $file) or die "$file: $!"; print $to $text; close $to or die "$file: $!" }
sub mount { my ($source, $target, $kind, $flags) = @_; must("mount $target", syscall($n{mount}, "$source", "$target", "$kind", $flags, 0)) }

my ($user, $group) = ($> + 0, (split / /, $))[0] + 0);
if ($user) {
    must("unshare", syscall($n{unshare}, 0x10000000));
    put("/proc/self/setgroups", "deny");
    put("/proc/self/uid_map", "$user $user 1");
    put("/proc/self/gid_map", "$group $group 1");
}
must("unshare", syscall($n{unshare}, 0x20000));
mount("none", "/", "", 0x44000);
my @kept = map { sysopen(my $dir, $_, O_RDONLY) or die "$_: $!"; [$_, $dir] } grep { length } split /:/, $keep;
mount("tmpfs", $temporary, "tmpfs", 0);
chmod 01777, $temporary;
for (@kept) {
    my ($path, $dir) = @$_;
    my $at = "";
    for my $part (grep { length } split m{/}, $path) { $at .= "/$part"; mkdir $at unless -d $at }
    mount("/proc/self/fd/" . fileno($dir), $path, "", 4096);
}
open(my $sockets, "<", "/proc/net/unix") or die $!;
while (<$sockets>) {
    next unless m{ (/.*)$};
    my $path = $1;
    next if grep { index($path, "$_->[0]/") == 0 } @kept;
    eval { mount("/dev/null", $path, "", 4096) } if -S $path;
}

sub instruction { pack("SCCL", @_) }
my ($refuse, $allow) = (sub { instruction(0x06, 0, 0, 0x50000 | $_[0]) }, instruction(0x06, 0, 0, 0x7fff0000));
my $filter = instruction(0x20, 0, 0, 0);
$filter .= instruction(0x15, 0, 1, $n{clone3}) . $refuse->(38);
$filter .= instruction(0x15, 0, 1, $n{$_}) . $refuse->(1) for grep { !/^(clone3?|seccomp|prctl)$/ } keys %n;
$filter .= instruction(0x15, 0, 2, $n{clone}) . instruction(0x20, 0, 0, 16) . instruction(0x45, 1, 0, 0x7e020000) . $allow . $refuse->(1);
my $program = pack("S x6 P", length($filter) / 8, $filter);
must("prctl", syscall($n{prctl}, 38, 1, 0, 0, 0));
must("seccomp", syscall($n{seccomp}, 1, 0, $program));
chdir $ENV{PWD_INSIDE} or die "$ENV{PWD_INSIDE}: $!";
delete $ENV{PWD_INSIDE};
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!";
"#;

/// What is refused, with its numbers, and what the script itself calls.
#[cfg(target_arch = "x86_64")]
const NUMBERS: &str = "mount=165,umount2=166,pivot_root=155,unshare=272,setns=308,clone=56,clone3=435,open_tree=428,move_mount=429,\
    fsopen=430,fsconfig=431,fsmount=432,fspick=433,mount_setattr=442,bpf=321,add_key=248,request_key=249,keyctl=250,seccomp=317,prctl=157";
#[cfg(target_arch = "aarch64")]
const NUMBERS: &str = "mount=40,umount2=39,pivot_root=41,unshare=97,setns=268,clone=220,clone3=435,open_tree=428,move_mount=429,\
    fsopen=430,fsconfig=431,fsmount=432,fspick=433,mount_setattr=442,bpf=280,add_key=217,request_key=218,keyctl=219,seccomp=277,prctl=167";

/// The words in front of the binary; `keep` are the directories that the run needs.
pub fn words(keep: &[&Path]) -> Vec<String> {
    let temporary = std::env::temp_dir().canonicalize().unwrap();
    let kept: BTreeSet<_> = keep.iter().map(|path| path.canonicalize().unwrap()).collect();
    let kept: Vec<_> =
        kept.iter().filter(|path| path.starts_with(&temporary)).map(|path| path.to_str().unwrap()).collect();
    let kept = kept.join(":");
    ["perl", "-e", SCRIPT, NUMBERS, temporary.to_str().unwrap(), &kept].map(str::to_owned).into()
}
