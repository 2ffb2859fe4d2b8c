import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type HostDoor, openHostDoor } from './host-door.ts';

const NAMES = ['channel', 'app', 'loopback'] as const;

function dial(door: HostDoor, line: string): Socket {
  const socket = connect(join(door.folder, door.socket));
  socket.on('error', () => undefined);
  socket.write(line);
  return socket;
}

const hello = (token: string, connection: string) => `${JSON.stringify({ token, connection })}\n`;

test('when a host dials in, then it has its connections, and what came after a hello is not lost', async () => {
  await using door = await openHostDoor({ user: undefined });
  const dialled = NAMES.map((name) => dial(door, `${hello(door.token, name)}first words of ${name}`));
  const connections = await door.connections;
  for (const name of NAMES) {
    const [bytes] = (await once(connections[name].resume(), 'data')) as [Buffer];
    expect(bytes.toString()).toBe(`first words of ${name}`);
  }
  for (const socket of dialled) socket.destroy();
});

test.each([
  ['a wrong token', () => hello('guess', 'channel')],
  ['an unknown name', (token: string) => hello(token, 'other')],
  ['no JSON', () => 'channel please\n'],
  ['a line without an end', () => 'x'.repeat(5000)],
])('when somebody comes with %s, then they are turned away, and the host is let in', async (_what, line) => {
  await using door = await openHostDoor({ user: undefined });
  const stranger = dial(door, line(door.token));
  await once(stranger.resume(), 'close');
  const dialled = NAMES.map((name) => dial(door, hello(door.token, name)));
  expect(Object.keys(await door.connections)).toEqual(NAMES);
  for (const socket of dialled) socket.destroy();
});

test('when a connection comes twice, then the first counts, and the second is closed', async () => {
  await using door = await openHostDoor({ user: undefined });
  const [first, again] = [dial(door, hello(door.token, 'channel')), dial(door, hello(door.token, 'channel'))];
  const closed = await Promise.race([first, again].map((one) => once(one.resume(), 'close').then(() => one)));
  expect([first, again]).toContain(closed);
  const rest = [dial(door, hello(door.token, 'app')), dial(door, hello(door.token, 'loopback'))];
  await door.connections;
  for (const socket of [first, again, ...rest]) socket.destroy();
});

test('when a host has come, then the door is shut for others; its folder goes with it', async () => {
  const door = await openHostDoor({ user: undefined });
  const dialled = NAMES.map((name) => dial(door, hello(door.token, name)));
  await door.connections;
  const late = connect(join(door.folder, door.socket));
  const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
  expect(['ENOENT', 'ECONNREFUSED']).toContain(error.code);
  await door[Symbol.asyncDispose]();
  expect(existsSync(door.folder)).toBe(false);
  for (const socket of dialled) socket.destroy();
});

test('when a door is shut before its host has come, then that is an error', async () => {
  const door = await openHostDoor({ user: undefined });
  await door[Symbol.asyncDispose]();
  await expect(door.connections).rejects.toThrow('The door is shut.');
});
