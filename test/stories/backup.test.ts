import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listBackups } from '@roadstead/backup';
import { openFolderBlobs } from '@roadstead/blobs';
import { uuidv7 } from '@roadstead/kit';
import { useFixture, useFolder } from '@roadstead/testing';
import { Client as LangSmith } from 'langsmith';
import { expect, test } from 'vitest';
import { answerOf, callA2a, dataHome, runCommand, startPlatform, userMessage } from '../support/platform.ts';

/** The day on which a disk is lost: an installation is backed up while it works, and goes on from the backup elsewhere. */

const agent = fileURLToPath(new URL('../../examples/support-agent', import.meta.url));
const [home, elsewhere] = [useFixture(dataHome), useFixture(dataHome)];
const folder = useFolder('backups-');
const place = () => join(folder(), 'place');
const at = (path: string) => ({ ...process.env, ROADSTEAD_DATA_DIR: path, NO_COLOR: '1' });
const newest = async (path: string) =>
  (await listBackups(await openFolderBlobs(join(path, 'manifests')))).backups[0];

test(
  'when an installation is restored, then every row is there, and agents remember',
  { timeout: 300_000 },
  async () => {
    const said = { contextId: '', run_id: uuidv7(), key: '' };
    {
      await using platform = await startPlatform(home().path);
      said.key = platform.key;
      expect(await platform.run('deploy', agent, '--name', 'support-agent')).toMatchObject({ code: 0 });
      const first = await callA2a(platform, 'support-agent', 'message/send', userMessage('My name is Ada'));
      said.contextId = first.result.contextId;
      const langsmith = new LangSmith({ apiUrl: platform.url, apiKey: platform.key, autoBatchTracing: true });
      await langsmith.createRun({
        id: said.run_id,
        trace_id: said.run_id,
        dotted_order: `20260101T000000000000Z${said.run_id}`,
        name: 'with a note',
        run_type: 'chain',
        inputs: {},
        attachments: { note: { mimeType: 'text/plain', data: new TextEncoder().encode('kept') } },
      });
      await langsmith.awaitPendingTraceBatches();
      const made = await platform.run('backup', 'create', place(), '--json');
      expect([made.code, made.stderr]).toEqual([0, '']);
      expect(JSON.parse(made.stdout)).toMatchObject({
        databases: 3,
        blobs: { attachments: 1 },
        left_out: [],
      });
    }
    const restored = await runCommand(['backup', 'restore', place(), '--json'], at(elsewhere().path));
    expect(restored).toMatchObject({ code: 0 });
    const copy = join(folder(), 'copy');
    expect(await runCommand(['backup', 'create', copy], at(elsewhere().path))).toMatchObject({ code: 0 });
    const [before, after] = [await newest(place()), await newest(copy)];
    expect(before?.manifest.schemas.map(({ schema }) => schema)).toEqual([
      'identity',
      'control',
      'traces',
      'agent',
    ]);
    expect(after?.manifest.schemas).toEqual(before?.manifest.schemas);
    expect(after?.manifest.blobs).toEqual(before?.manifest.blobs);
    expect(after?.manifest.keys).toEqual(before?.manifest.keys);

    await using platform = await startPlatform(elsewhere().path);
    expect(platform.key).toBe(said.key);
    const { contextId } = said;
    // Refused until the data plane has what it runs.
    const ask = async () => {
      const question = userMessage('What is my name?', { contextId });
      const { result } = await callA2a(platform, 'support-agent', 'message/send', question);
      return result === undefined ? '' : answerOf(result);
    };
    await expect.poll(ask, { timeout: 120_000, interval: 500 }).toContain('Ada');
    const read = await platform.fetch(`${platform.url}/runs/${said.run_id}`);
    const run = (await read.json()) as { s3_urls?: Record<string, { presigned_url: string }> };
    const note = await fetch(run.s3_urls?.['attachment.note']?.presigned_url ?? '');
    expect(await note.text()).toBe('kept');

    const refused = await runCommand(['backup', 'restore', place()], at(elsewhere().path));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Another Roadstead runs')]);
  },
);

test('when something is there already, then nothing is restored over it', async () => {
  const refused = await runCommand(['backup', 'restore', place()], at(elsewhere().path));
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('has a schema identity already'),
  ]);
});

test('when a place has no backup, then that is said', async () => {
  const empty = join(folder(), 'empty');
  expect((await runCommand(['backup', 'list', empty], at(home().path))).stderr).toContain(
    `There is no folder ${empty}`,
  );
  await mkdir(empty);
  expect((await runCommand(['backup', 'list', empty], at(home().path))).stdout).toBe('');
  const refused = await runCommand(['backup', 'restore', empty], at(home().path));
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`There is no backup at ${empty}`),
  ]);
});

test.each([['create'], ['list', 'a', 'b'], ['make', 'x']])(
  'when %s is what follows, then the usage is shown',
  async (...words) => {
    expect(await runCommand(['backup', ...words])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('backup create PLACE') as string,
    });
  },
);
