import { silentLog, uuidv7 } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { sessionKey, sessionRemovalLoop } from '../sessions/session-removal-loop.ts';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { whileClaimed } from './claim-store.ts';

it('when somebody holds a claim, then nobody else gets it, and a holder that fails lets it go', async () => {
  await using fixture = await startFixture();
  const { db } = fixture.fresh;
  const nothing = { work: async () => undefined };
  const held = await whileClaimed(db, 'a', {
    work: async () => {
      expect(await whileClaimed(db, 'a', nothing)).toBe(false);
      expect(await whileClaimed(db, 'b', nothing)).toBe(true);
    },
  });
  expect(held).toBe(true);
  const failing = whileClaimed(db, 'a', { work: async () => Promise.reject(new Error('it broke')) });
  await expect(failing).rejects.toThrow('it broke');
  expect(await whileClaimed(db, 'a', nothing)).toBe(true);
});

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
