import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FencedProcess } from '@roadstead/fence';
import { HostProcess } from './host-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Sends one frame with a list of so many lists, and waits. */
const SEND = `
const head = Buffer.from('{"id":1,"method":"x","params":[' + '[],'.repeat(Number(process.argv[1]) - 1) + '[]]}');
const prefix = Buffer.alloc(8);
prefix.writeUInt32BE(head.length + 4);
prefix.writeUInt32BE(head.length, 4);
const channel = new (require('net').Socket)({ fd: 3 });
channel.write(prefix);
channel.write(head);
setInterval(() => {}, 1000);
`;

function hostThatSends(values: number) {
  const asked = Promise.withResolvers<string>();
  const host = new HostProcess({
    fence: {
      isolation: 'none',
      resource_limits: 'none',
      start: ({ command, environment, pipes }) => new FencedProcess({ command, environment, pipes }),
    },
    program: {
      command: [process.execPath, '-e', SEND, String(values)],
      cwd: folder,
      environment: {},
      reads: [],
      writes: [],
      home: folder,
    },
    handlers: {
      ask: async (method) => {
        asked.resolve(`asked ${method}`);
        return { result: null };
      },
      tell: () => undefined,
    },
    onLine: () => undefined,
    mask: (text) => text,
  });
  return { host, came: Promise.race([asked.promise, host.exited]) };
}

test.each([
  [100_000, 'asked x'],
  [6_000_000, 'The graph host was ended by SIGKILL.'],
])('a frame of %i values: %s', async (values, outcome) => {
  const { host, came } = hostThatSends(values);
  await using _host = host;
  expect(await came).toBe(outcome);
});
