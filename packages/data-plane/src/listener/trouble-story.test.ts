import { expect, test } from 'vitest';
import { startFixture } from '../testing/data-plane-fixture.ts';
import { sourceArchive } from '../testing/projects.ts';

const wait = { interval: 20 };

test.each(['crash_loop', 'out_of_memory'] as const)(
  'when what serves has the trouble %s, then that is reported until all is well',
  async (code) => {
    await using fixture = await startFixture();
    const { control } = fixture;
    const revision = control.revisionOf(await sourceArchive('works', ''));
    const id = control.desire('mine', { revision });
    await expect.poll(() => control.activeOf(id), wait).toBe(revision.id);
    const last = () => control.observations.at(-1);
    expect(last()?.trouble).toBeNull();
    const trouble = { code, message: 'Its hosts keep ending.', hint: 'Read its log.' };
    fixture.runtime.opened.get(id)?.onTrouble(trouble);
    const serving = { revision_id: revision.id, phase: 'switch', outcome: 'done' };
    await expect.poll(last, wait).toMatchObject({ ...serving, trouble: { phase: 'switch', ...trouble } });
    fixture.runtime.opened.get(id)?.onTrouble(undefined);
    await expect.poll(last, wait).toMatchObject({ ...serving, trouble: null });
  },
);
