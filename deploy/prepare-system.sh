#!/bin/sh
# Makes the system of the image of Roadstead out of a base; deploy/Dockerfile runs it. It fetches nothing where the base has it all.
set -eu

node -e 'if (parseInt(process.versions.node) < 24) process.exit(1)' ||
  { echo 'The base needs Node 24 or newer on its PATH.' >&2; exit 1; }
command -v npm > /dev/null || { echo 'The base needs npm on its PATH.' >&2; exit 1; }
node -e 'if (!process.report.getReport().header.glibcVersionRuntime) process.exit(1)' ||
  { echo 'The base needs glibc, which Debian has and Alpine has not.' >&2; exit 1; }

lacks=''
command -v git > /dev/null || lacks="$lacks git"
command -v ssh > /dev/null || lacks="$lacks openssh-client"
command -v tini > /dev/null || lacks="$lacks tini"
[ -e /etc/ssl/certs/ca-certificates.crt ] || lacks="$lacks ca-certificates"
export DEBIAN_FRONTEND=noninteractive
if [ -n "$lacks" ]; then
  command -v apt-get > /dev/null || { echo "The base lacks$lacks, and has no apt-get to install that." >&2; exit 1; }
  apt-get update
  # shellcheck disable=SC2086
  apt-get install --yes --no-install-recommends $lacks
fi

# What nothing in the container runs: the package manager, Perl, which Git wants for mail and Subversion alone, and servers of Git.
# `status` stays: it tells scanners what is there.
rm -rf /usr/bin/apt* /usr/lib/apt /usr/libexec/dpkg /usr/lib/*/libapt-* /etc/apt /usr/bin/dpkg* /usr/sbin/dpkg* /usr/share/dpkg /usr/lib/dpkg \
  /usr/bin/perl* /usr/bin/*-linux-gnu-perl /usr/share/perl* /usr/lib/*/perl* /usr/lib/*/libperl.so* /usr/share/debconf /usr/share/git-core/contrib \
  /var/lib/dpkg/info /var/lib/dpkg/*-old /usr/bin/scalar /usr/bin/git-shell /usr/bin/git-cvsserver /usr/share/gitweb /usr/lib/*/gconv \
  /usr/lib/git-core/git-daemon /usr/lib/git-core/git-http-backend /usr/lib/git-core/git-http-push /usr/lib/git-core/git-imap-send \
  /usr/lib/git-core/git-shell /usr/lib/git-core/scalar /usr/bin/gpgv /usr/bin/tini-static /usr/lib/*/libdb-5.3.so /usr/share/zoneinfo/right
find /usr/local/lib/node_modules -type f \( -name '*.md' -o -name '*.map' -o -name '*.ts' \) ! -iname '*license*' -delete
# The same program twice.
[ ! -f /usr/bin/git ] || [ ! -f /usr/lib/git-core/git ] || ln -sf ../../bin/git /usr/lib/git-core/git

# What nobody reads in a container, and what says when and where it was made.
rm -rf /opt/yarn-* /usr/local/bin/yarn /usr/local/bin/yarnpkg /usr/local/include/node /usr/local/share/doc /usr/local/share/man \
  /usr/local/lib/node_modules/corepack /usr/local/bin/corepack /usr/local/CHANGELOG.md /usr/local/README.md \
  /usr/local/lib/node_modules/npm/docs /usr/local/lib/node_modules/npm/man \
  /usr/share/man /usr/share/info /usr/share/locale /usr/share/lintian /usr/share/bash-completion /var/lib/apt /var/cache/apt \
  /var/cache/debconf /var/cache/ldconfig /var/log /root/.npm \
  /etc/passwd- /etc/group- /etc/shadow- /etc/gshadow- /etc/subuid- /etc/subgid- /tmp/* /var/tmp/* /run/*
mkdir -p /var/log
[ ! -d /usr/share/doc ] || find /usr/share/doc \( -type f ! -name copyright -o -type l \) -delete
[ ! -d /usr/share/doc ] || find /usr/share/doc -type d -empty -delete

# Nobody may be root in it, and PostgreSQL wants a user with a name.
grep -q '^roadstead:' /etc/passwd || echo 'roadstead:x:10001:10001:Roadstead:/var/lib/roadstead:/usr/sbin/nologin' >> /etc/passwd
grep -q '^roadstead:' /etc/group || echo 'roadstead:x:10001:' >> /etc/group
mkdir -p /var/lib/roadstead
chown 10001:10001 /var/lib/roadstead
# Pods of agents and builds, which may be another user, mount their parts below it.
chmod 711 /var/lib/roadstead
# No program makes another user of who starts it.
find / -xdev -type f -perm /6000 -exec chmod a-s {} +

# Files of today get the time that stands for the build: the same packages give the same files.
find / -xdev -newermt "@$SOURCE_DATE_EPOCH" ! -path '/proc/*' ! -path '/sys/*' ! -path '/dev/*' \
  -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} + 2> /dev/null || true
