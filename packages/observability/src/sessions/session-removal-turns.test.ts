import { silentLog, uuidv7 } from '@roadstead/kit';
import { whileClaimed } from '@roadstead/postgres';
import { expect, it } from 'vitest';
import { sessionKey, sessionRemovalLoop } from './session-removal-loop.ts';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

it('when an instance removes a project, then others leave it alone until that one ends', async () => {
  await using fixture = await startFixture();
  const { db } = fixture.fresh;
  const { id } = await fixture.client().createSession({ body: { name: 'doomed' } });
  const run_id = uuidv7();
  const run = { id: run_id, trace_id: run_id, dotted_order: run_id, name: 'run', session_name: 'doomed' };
  await fixture.send('/runs', { method: 'POST', body: JSON.stringify(run) });
  const key = sessionKey({ workspace_id: WORKSPACE, id });
  const runs = () => db.query('select run_id from traces.runs');
  await whileClaimed(db, `session removal ${key}`, {
    work: async () => {
      await fixture.client().deleteSession({ params: { session_id: id } });
      const asked: string[] = [];
      await using other = sessionRemovalLoop(
        {
          ...db,
          patientTransaction: async (work) => db.patientTransaction(work).finally(() => asked.push(key)),
        },
        silentLog,
      ).start();
      other.wake(key);
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      expect(await runs()).toEqual([{ run_id }]);
    },
  });
  await using survivor = sessionRemovalLoop(db, silentLog).start();
  survivor.wake(key);
  await expect.poll(runs).toEqual([]);
});
