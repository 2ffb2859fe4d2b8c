import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ENGINE_SCHEMA } from '../../packages/agent-server/src/database/engine-migrations.ts';
import { testPython } from '../support/python.ts';
import { engineSide, openEngine } from './engine-side.ts';

/**
 * The saver and the store of the Python graph host over the real engine on a real database, beside LangGraph's own saver for
 * PostgreSQL. The tests are Python's: `packages/graph-host-python/tests/engine`.
 */

const folder = fileURLToPath(new URL('../../packages/graph-host-python', import.meta.url));

test('when Python’s saver and LangGraph’s own share a database, then each reads the other’s', async () => {
  await using opened = await openEngine();
  const child = spawn(testPython ?? '', ['-m', 'pytest', 'tests/engine'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      ROADSTEAD_TEST_CHANNEL: '3',
      ROADSTEAD_TEST_DATABASE: opened.url,
      PGOPTIONS: `-c search_path=${ENGINE_SCHEMA}`,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const channel = child.stdio[3] as Duplex;
  const peer = engineSide(opened.engine, (frame) => channel.write(frame));
  channel.on('data', (bytes: Buffer) => void peer.receive(bytes));
  const [printed, [code]] = await Promise.all([text(child.stdio[1] as Readable), once(child, 'close')]);
  expect(printed).toMatch(/^\d+ passed in/m);
  expect(code).toBe(0);
});
