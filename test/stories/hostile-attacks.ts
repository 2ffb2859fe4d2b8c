import type { AgentLanguage } from '../support/languages.ts';

/** What the hostile agent does in its own process, in each of its languages. Code says what came of it, by `say`. */

/** Opens files for reading, and says of each how that ended. */
export const readingOf = (paths: readonly string[]): Record<AgentLanguage, string> => ({
  javascript: `
    for (const path of ${JSON.stringify(paths)})
      try { require('node:fs').readFileSync(path); say('read ' + path); } catch (error) { say(error.code); }`,
  python: `
import errno
for path in ${JSON.stringify(paths)}:
    try:
        with open(path, "rb") as file:
            file.read(1)
        say(f"read {path}")
    except OSError as error:
        say(errno.errorcode[error.errno])`,
});

/** Links to a place from its home, reads it and writes beside it by the link, and says how the reading ended. */
export const followingLinkTo = (folder: string, file: string): Record<AgentLanguage, string> => ({
  javascript: `
    const fs = require('node:fs');
    const link = process.env.HOME + '/link-' + Math.random();
    fs.symlinkSync(${JSON.stringify(folder)}, link);
    try { fs.writeFileSync(link + '/written', 'hostile'); } catch {}
    try { say(fs.readFileSync(link + '/${file}', 'utf8')); } catch (error) { say(error.code); }`,
  python: `
import errno, os, random
link = os.environ["HOME"] + f"/link-{random.random()}"
os.symlink(${JSON.stringify(folder)}, link)
try:
    open(link + "/written", "w").write("hostile")
except OSError:
    pass
try:
    say(open(link + "/${file}").read())
except OSError as error:
    say(errno.errorcode[error.errno])`,
});

/** Connects to a socket in the file system, or to a port of this machine. */
export const connectingTo = (place: string | number): Record<AgentLanguage, string> => ({
  javascript: `
    const { promise, resolve } = Promise.withResolvers();
    require('node:net').connect(${JSON.stringify(place)}).on('error', (error) => resolve(error.code)).on('connect', () => resolve('connected'));
    say(await promise);`,
  python: `
import errno, socket
place = ${typeof place === 'number' ? `("127.0.0.1", ${place})` : JSON.stringify(place)}
family = socket.AF_UNIX if isinstance(place, str) else socket.AF_INET
try:
    socket.socket(family).connect(place)
    say("connected")
except OSError as error:
    say(errno.errorcode[error.errno])`,
});

/** Asks a port of this machine with all that the agent has, and says the statuses of the answers. */
export const askingAt = (port: number, paths: readonly string[]): Record<AgentLanguage, string> => ({
  javascript: `
    for (const path of ${JSON.stringify(paths)}) {
      const headers = { 'x-api-key': process.env.LANGSMITH_API_KEY };
      say(await fetch('http://127.0.0.1:${port}' + path, { headers }).then((one) => one.status, () => 'none'));
    }`,
  python: `
import http.client, os
for path in ${JSON.stringify(paths)}:
    try:
        connection = http.client.HTTPConnection("127.0.0.1", ${port}, timeout=10)
        connection.request("GET", path, headers={"x-api-key": os.environ["LANGSMITH_API_KEY"]})
        say(connection.getresponse().status)
    except OSError:
        say("none")`,
});

/** Sends every other process that it sees the signal that ends it, and says that it lives. */
export const endingOthers: Record<AgentLanguage, string> = {
  javascript: `
    for (const name of require('node:fs').readdirSync('/proc'))
      try { if (/^[0-9]+$/.test(name) && Number(name) !== process.pid) process.kill(Number(name), 'SIGKILL'); } catch {}
    say('alive');`,
  python: `
import os, signal
for name in os.listdir("/proc"):
    try:
        if name.isdigit() and int(name) != os.getpid():
            os.kill(int(name), signal.SIGKILL)
    except OSError:
        pass
try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
say("alive")`,
};

/** Calls of the system by which a process would leave its fence, as C makes them: each says its name and its result. */
export const callsOfTheSystem = `
import ctypes, os, stat
libc = ctypes.CDLL(None, use_errno=True)
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
held = ctypes.create_string_buffer(8)
here = Piece(ctypes.addressof(held), 8)
with open("/proc/self/maps") as file:
    # Programs of the same system begin at like places.
    there = Piece(int(file.read().split("-")[0], 16), 8)
numbers = {"pivot_root": 155, "open_by_handle_at": 304} if os.uname().machine == "x86_64" else {}
calls = [
    ("ptrace", 16, 1, 0, 0),
    ("ptrace", 0x4206, 1, 0, 0),
    ("process_vm_readv", 1, ctypes.byref(here), 1, ctypes.byref(there), 1, 0),
    ("process_vm_writev", 1, ctypes.byref(here), 1, ctypes.byref(there), 1, 0),
    ("unshare", 0x10000000),
    ("unshare", 0x00020000),
    ("unshare", 0x40000000),
    ("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None),
    ("umount2", b"/proc", 2),
    ("chroot", b"/tmp"),
    ("setuid", 0),
    ("setgid", 0),
    ("setgroups", 0, None),
    ("sethostname", b"x", 1),
    ("pivot_root", b"/tmp", b"/tmp"),
    ("open_by_handle_at", 3, ctypes.create_string_buffer(64), 0),
]
for name, *given in calls:
    if name in numbers:
        result = libc.syscall(numbers[name], *given)
    elif hasattr(libc, name):
        result = getattr(libc, name)(*given)
    else:
        continue
    say(f"{name} {result}")
for name in ("mnt", "user", "pid", "net", "ipc"):
    try:
        space = os.open(f"/proc/1/ns/{name}", os.O_RDONLY)
        say(f"setns {name} {libc.setns(space, 0)}")
    except OSError:
        say(f"setns {name} -1")
try:
    os.mknod("/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(8, 0))
    say("mknod 0")
except OSError:
    say("mknod -1")
`;

/** What is done once: the attempt that follows finds the mark, and says that it got there. */
const onceOnly = (name: string, code: Record<AgentLanguage, string>): Record<AgentLanguage, string> => ({
  javascript: `
    const mark = process.env.HOME + '/${name}';
    if (require('node:fs').existsSync(mark)) return say('${name} is over');
    require('node:fs').writeFileSync(mark, '');
    ${code.javascript}
    await new Promise((resolve) => setTimeout(resolve, 60_000));`,
  python: `
import os, time
mark = os.environ["HOME"] + "/${name}"
if os.path.exists(mark):
    say("${name} is over")
else:
    open(mark, "w").close()
${code.python.replaceAll(/^/gm, '    ')}
    time.sleep(60)`,
});

const frame = (head: string) => {
  const bytes = Buffer.byteLength(head);
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32BE(bytes + 4);
  prefix.writeUInt32BE(bytes, 4);
  return Buffer.concat([prefix, Buffer.from(head)]);
};
const written = (bytes: Buffer): Record<AgentLanguage, string> => ({
  javascript: `for (const fd of [5, 4, 3]) require('node:fs').writeSync(fd, Buffer.from('${bytes.toString('hex')}', 'hex'));`,
  python: `
for fd in (5, 4, 3):
    os.write(fd, bytes.fromhex("${bytes.toString('hex')}"))`,
});

/** Attacks that cost the host its life, by what they take from the platform: nothing. */
export const deadlyAttacks: Readonly<Record<string, Record<AgentLanguage, string>>> = {
  noise: onceOnly('noise', written(Buffer.from('hostile'.repeat(1000)))),
  'forged end': onceOnly(
    'forged end',
    written(frame('{"method":"done","params":{"run_id":"another","attempt":"first"}}')),
  ),
  // However small the copies are, what they take together is limited.
  'fork bomb': onceOnly('fork bomb', {
    javascript: `
      const { spawn } = require('node:child_process');
      const bomb = process.env.HOME + '/bomb.cjs';
      require('node:fs').writeFileSync(bomb, 'for (const _ of [1, 2]) require("child_process").spawn(process.execPath, [__filename], { stdio: "ignore", detached: true }); setTimeout(() => undefined, 60_000)');
      spawn(process.execPath, [bomb], { stdio: 'ignore', detached: true });`,
    python: `
import time
for _ in range(2000):
    if os.fork() == 0:
        os.setpgid(0, 0)
    time.sleep(0.02)`,
  }),
  memory: onceOnly('memory', {
    javascript: `
      const held = [];
      for (;;) { held.push(Buffer.alloc(50_000_000, 1)); await new Promise((resolve) => setTimeout(resolve, 20)); }`,
    python: `
held = []
while True:
    held.append(bytearray(b"x") * 50_000_000)
    time.sleep(0.02)`,
  }),
};

/** Takes all of something that a process may have, says that it is used up, and gives it back. */
export const exhausted: Readonly<Record<string, Record<AgentLanguage, string>>> = {
  descriptors: {
    javascript: `
      const fs = require('node:fs');
      const held = [];
      try { for (;;) held.push(fs.openSync('/dev/null')); } catch (error) { say(error.code); }
      for (const fd of held) fs.closeSync(fd);`,
    python: `
import errno, os
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    say(errno.errorcode[error.errno])
for fd in held:
    os.close(fd)`,
  },
  threads: {
    javascript: `
      const { Worker } = require('node:worker_threads');
      for (let at = 0; at < 8; at += 1) new Worker('setInterval(() => undefined, 1000)', { eval: true });
      say('begun');`,
    python: `
import threading, time
def never_ends():
    while True:
        time.sleep(1)
for _ in range(500):
    threading.Thread(target=never_ends).start()
say("begun")`,
  },
};
