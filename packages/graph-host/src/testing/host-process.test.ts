import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { HostUnderTest } from './host-process.ts';

const folder = fileURLToPath(new URL('../../fixtures/odd', import.meta.url));
/** A host that says what is no frame as soon as it is asked anything. */
const script = `const { Socket } = require('node:net');
const channel = new Socket({ fd: 3, readable: true, writable: true });
channel.on('data', () => channel.write(Buffer.alloc(8, 255)));`;
const host = useFixture(() => new HostUnderTest(folder, { command: [process.execPath, '-e', script] }));

test('when a host under test breaks the protocol, then who waits for it hears why', async () => {
  await expect(host().run({ thread_id: 'thread' })).rejects.toThrow(
    'The host broke the protocol: a frame claims',
  );
  await host().exited;
});
