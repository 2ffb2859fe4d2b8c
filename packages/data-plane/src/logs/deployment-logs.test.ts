import { expect, test } from 'vitest';
import { createClient } from '@roadstead/contracts';
import { controlPlane } from '@roadstead/contracts/control-plane';
import { silentLog } from '@roadstead/kit';
import { DeploymentLogs } from './deployment-logs.ts';

function logsOf(fetch: () => Promise<Response>) {
  return new DeploymentLogs({
    client: createClient(controlPlane, { base_url: 'http://control.invalid', fetch }),
    params: {
      listener_id: '018f0000-0000-7000-8000-000000000001',
      deployment_id: '018f0000-0000-7000-8000-000000000002',
    },
    fence: () => 1,
    log: silentLog,
  });
}

const line = (revision_id: string) => ({
  revision_id,
  at: new Date().toISOString(),
  level: 'INFO' as const,
  message: `of ${revision_id}`,
});

test('when revisions are over, then nothing of them stays, their secrets longest', async () => {
  await using logs = logsOf(async () => new Response(null, { status: 204 }));
  for (let at = 0; at < 50; at += 1) {
    const id = `revision-${at}`;
    logs.hide(id, { TOKEN: `secret-of-${at}` });
    logs.server(line(id));
    const build = logs.build(id);
    build.add('built');
    await build.flush();
  }
  const retain = (minutes: number) => logs.retain(new Set(['revision-49']), minutes * 60_000);
  await expect.poll(() => (retain(0), logs.tail('revision-0'))).toEqual([]);
  expect(logs.tail('revision-49')).toEqual(['of revision-49']);
  expect(logs.mask('secret-of-0')).toBe('********');
  retain(9);
  expect(logs.mask('secret-of-0')).toBe('********');
  await expect.poll(() => (retain(10), logs.held)).toBe(1);
  expect([logs.mask('secret-of-0'), logs.mask('secret-of-49')]).toEqual(['secret-of-0', '********']);
});

test('when lines still wait to be sent, then they are not dropped', async () => {
  let isAway = true;
  let taken = 0;
  await using logs = logsOf(async () => {
    if (isAway) throw new Error('away');
    taken += 1;
    return new Response(null, { status: 204 });
  });
  logs.server(line('revision-0'));
  logs.retain(new Set());
  expect(logs.held).toBe(1);
  isAway = false;
  await expect.poll(() => taken).toBe(1);
  await expect.poll(() => (logs.retain(new Set()), logs.held)).toBe(0);
});
