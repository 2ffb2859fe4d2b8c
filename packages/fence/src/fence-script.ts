/**
 * This script builds the namespace from inside it, as the first process there. It has every right over its own mounts
 * and none over the machine's. Values come as positional arguments, lists in one argument with a line each, and are never part
 * of the text. What it calls lies in the system's folders, before and after the root is changed.
 *
 * In order: no namespaces below this one; a new root in memory with what the program may see; the machine's root is
 * left and let go of; the program starts as an ordinary user without rights, while this process waits as the parent
 * of every process that loses its own. When it ends, the kernel ends everything in the namespace.
 */
export const NAMESPACE_SCRIPT = `
set -euf
root=$1 home=$2 folders=$3 files=$4 mounts=$5 enter=$6
shift 6
echo 1 > /proc/sys/user/max_user_namespaces
mount -t tmpfs -o size=64m,mode=0755,nosuid,nodev tmpfs "$root"
cd "$root"
IFS='
'
mkdir -p -- $folders
cp -L --parents -- $files . 2>/dev/null || :
printf 'agent:x:1000:1000::%s:/bin/sh\\nnobody:x:65534:65534::/:/bin/false\\n' "$home" > etc/passwd
printf 'agent:x:1000:\\nnogroup:x:65534:\\n' > etc/group
for device in null zero full random urandom; do : > "dev/$device"; done
ln -s -- "$home" .home
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
printf '%s' "$mounts" > .mounts
mount --all --fstab ./.mounts
rm .mounts
pivot_root . .before
umount -l /.before
rmdir /.before
mount -o remount,bind,ro tmpfs /
cd /
unshare --user --map-user=1000 --map-group=1000 -- /bin/sh -c "$enter" sh "$@"
`;

const VARIABLE = 'ROADSTEAD_ENV_';

/**
 * Packs the variables of a program under names that mean nothing to the programs that start it: not to the dynamic
 * linker (LD_PRELOAD), to a shell (ENV, PATH) or to Node (NODE_OPTIONS).
 */
export function packVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  const exportable = Object.entries(variables).filter(([name]) => isExportable(name));
  return Object.fromEntries(exportable.map(([name, value], at) => [`${VARIABLE}${at}`, `${name}=${value}`]));
}

/**
 * The last step before the program: changes into its folder, restores the names of the variables and becomes the
 * program. Arguments: the folder, then the program and its own. A variable that this shell keeps for itself (UID in
 * bash) stays as it is.
 */
export function enterScript(variables: number): string {
  const packed = Array.from({ length: variables }, (_, at) => `${VARIABLE}${at}`);
  return [
    'cd -- "$1" || exit 126',
    'shift',
    'unset PATH OLDPWD PWD',
    ...packed.map((name) => `command export "$${name}" 2>/dev/null`),
    ...packed.map((name) => `unset ${name}`),
    'exec "$@"',
  ].join('\n');
}

/** Other names exist, but are not needed in a shell. */
const isExportable = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);
