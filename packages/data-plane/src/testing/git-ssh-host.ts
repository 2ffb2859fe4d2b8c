import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';

/** Whether this machine has the program that fetches by ssh. */
export const hasSsh = ['/usr/bin/ssh', '/bin/ssh', '/usr/local/bin/ssh'].some((path) => existsSync(path));

export interface SshHost extends AsyncDisposable {
  readonly port: number;
  /** The address of the repository that it serves. */
  readonly url: string;
  /** A line of `known_hosts` with its key. */
  readonly known_hosts: string;
  /** A private key that it accepts, and one that it doesn't know. */
  readonly key: string;
  readonly other_key: string;
  /** While true, nobody gets in. */
  isLocked: boolean;
  /** The commands that were requested. */
  readonly commands: string[];
}

/** One key in a hundred that ssh2 generates is too short by a byte, which neither it nor OpenSSH can read. */
function newKey(): ReturnType<typeof ssh2.utils.generateKeyPairSync> {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}

/** A realistic host: runs `git-upload-pack` for holders of a deploy key, on localhost. */
export async function startSshHost(root: string): Promise<SshHost> {
  const [hostKey, deployKey, otherKey] = [newKey(), newKey(), newKey()];
  const known = ssh2.utils.parseKey(deployKey.public);
  if (known instanceof Error) throw known;
  const clients = new Set<ssh2.Connection>();
  const host = { isLocked: false, commands: [] as string[] };
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => clients.delete(client));
    client.on('authentication', (context) => {
      const isKnown =
        context.method === 'publickey' &&
        context.key.data.equals(known.getPublicSSH()) &&
        (context.signature === undefined ||
          known.verify(context.blob ?? Buffer.alloc(0), context.signature, context.hashAlgo));
      if (isKnown && !host.isLocked) context.accept();
      else context.reject(['publickey']);
    });
    client.on('session', (accept) => {
      const session = accept();
      session.on('env', (acceptVariable) => acceptVariable?.());
      session.on('exec', (acceptExec, _reject, { command }) => {
        host.commands.push(command);
        serve(root, command, acceptExec());
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(host, {
    port,
    url: `ssh://git@localhost:${port}/one/agent.git`,
    known_hosts: `[localhost]:${port} ${hostKey.public}`,
    key: deployKey.private,
    other_key: otherKey.private,
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.end();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function serve(root: string, command: string, channel: ssh2.ServerChannel): void {
  const [, path = ''] = /^git-upload-pack '([^']+)'$/.exec(command) ?? [];
  const pack = spawn('git-upload-pack', [join(root, path)], {
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    },
  });
  pack.stdin.on('error', () => undefined);
  channel.pipe(pack.stdin);
  pack.stdout.pipe(channel, { end: false });
  pack.stderr.pipe(channel.stderr, { end: false });
  pack.on('close', (code) => {
    channel.exit(code ?? 1);
    channel.end();
  });
  channel.on('close', () => pack.kill());
}
