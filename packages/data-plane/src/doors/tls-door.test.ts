import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { createGunzip, gzipSync } from 'node:zlib';
import { silentLog } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { ownCertificate } from '../testing/cluster/certificate.ts';
import { TlsDoor } from './tls-door.ts';

const NAMES = ['channel', 'app', 'loopback'] as const;
const own = await ownCertificate();
const none = () => Readable.from([]);

const openDoor = () => TlsDoor.open({ port: 0, ...own, log: silentLog });

async function reach(door: TlsDoor, ca = own.certificate): Promise<TLSSocket> {
  const socket = connect({ port: door.port, host: '127.0.0.1', ca, checkServerIdentity: () => undefined });
  await once(socket, 'secureConnect');
  socket.on('error', () => undefined);
  return socket;
}

// oxlint-disable-next-line roadstead/two-positional -- where, by which token, and as what
async function dial(door: TlsDoor, token: string, connection: string): Promise<TLSSocket> {
  const socket = await reach(door);
  socket.write(`${JSON.stringify({ token, connection })}\n`);
  return socket;
}

test('when a host dials in by its token, then it has its connections, whichever came first', async () => {
  await using door = await openDoor();
  const early = await dial(door, 'one', 'loopback');
  using guest = door.expect('one', none);
  using other = door.expect('other', none);
  const later = await Promise.all([dial(door, 'one', 'app'), dial(door, 'one', 'channel')]);
  const connections = await guest.connections;
  expect(Object.keys(connections)).toEqual(NAMES);
  connections.loopback.write('hello');
  const [heard] = (await once(early.resume(), 'data')) as [Buffer];
  expect(heard.toString()).toBe('hello');
  await expect(Promise.race([other.connections, Promise.resolve('waits')])).resolves.toBe('waits');
  for (const socket of [early, ...later]) socket.destroy();
});

test('when a token comes again after its host, then nobody is let in', async () => {
  await using door = await openDoor();
  using guest = door.expect('one', none);
  const sockets = await Promise.all(NAMES.map((name) => dial(door, 'one', name)));
  await guest.connections;
  const again = await dial(door, 'one', 'channel');
  await once(again.resume(), 'close');
  expect(sockets.every((socket) => !socket.destroyed)).toBe(true);
});

test('when the files of a host are asked for, then they are sent, each time anew', async () => {
  await using door = await openDoor();
  using _guest = door.expect('one', () => Readable.from([Buffer.from('the files')]));
  for (const _time of [1, 2]) expect(await text(await dial(door, 'one', 'files'))).toBe('the files');
});

test('when the files can not be read, then what came is no whole archive', async () => {
  await using door = await openDoor();
  using _guest = door.expect('one', async function* fail() {
    yield gzipSync('the files').subarray(0, 10);
    throw new Error('gone');
  });
  const unpacked = (await dial(door, 'one', 'files')).pipe(createGunzip());
  await expect(text(unpacked)).rejects.toThrow('unexpected end of file');
});

test.each([
  ['no JSON', 'channel please\n'],
  ['a line without an end', 'x'.repeat(5000)],
  ['an unknown name', `${JSON.stringify({ token: 'one', connection: 'other' })}\n`],
])('when a stranger comes with %s, then they are turned away', async (_what, line) => {
  await using door = await openDoor();
  using _guest = door.expect('one', none);
  const socket = await reach(door);
  socket.write(line);
  await once(socket.resume(), 'close');
  expect(socket.bytesRead).toBe(0);
});

test('when a door has another certificate, then who dials in does not speak to it', async () => {
  await using door = await openDoor();
  const other = await ownCertificate();
  await expect(reach(door, other.certificate)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});

test('when a host is given up, then its connections end', async () => {
  await using door = await openDoor();
  const guest = door.expect('one', none);
  const sockets = await Promise.all(NAMES.map((name) => dial(door, 'one', name)));
  await guest.connections;
  const closed = sockets.map((socket) => once(socket.resume(), 'close'));
  guest[Symbol.dispose]();
  expect(await Promise.all(closed)).toHaveLength(3);
});

test('when a host is given up before it came, then who waits for it hears that', async () => {
  await using door = await openDoor();
  const guest = door.expect('one', none);
  guest[Symbol.dispose]();
  await expect(guest.connections).rejects.toThrow('The door is shut.');
});
