import { expect } from 'vitest';
import { useFixturePerTest } from '@roadstead/testing';
import { startFixture } from './data-plane-fixture.ts';
import type { FakeRevision } from './fake-deployment.ts';
import { type ProjectKind, sourceArchive } from './projects.ts';

/** How stories wait for what a listener does. */
export const wait = { interval: 20 };

/** A data plane for each test, and what stories of its listener do and look at. */
export function useListener(options: Parameters<typeof startFixture>[0] = {}) {
  const fixture = useFixturePerTest(() => startFixture(options));
  const revisionOf = async (kind: ProjectKind, note = '', then?: string): Promise<FakeRevision> => {
    const build_command = fixture().counted(then);
    return fixture().control.revisionOf(await sourceArchive(kind, note), { build_command });
  };
  return {
    fixture,
    revisionOf,
    /** Asks for a new revision of `mine`, and waits until it is active. */
    deployed: async (note = ''): Promise<{ id: string; revision: FakeRevision }> => {
      const revision = await revisionOf('works', note);
      const id = fixture().control.desire('mine', { revision });
      await expect.poll(() => fixture().control.activeOf(id), wait).toBe(revision.id);
      return { id, revision };
    },
    served: async () => (await fixture().call('/agents/mine/info')).body,
    upOf: (id: string) => fixture().runtime.opened.get(id)?.up,
    endOf: (revision: FakeRevision) => () => fixture().control.storyOf(revision.id).at(-1),
    untilHeard: async (): Promise<void> => {
      await expect.poll(() => fixture().control.heard, wait).toBe(fixture().control.generation);
    },
    /** Waits until a pass has failed. */
    untilVain: async (): Promise<void> => {
      const before = fixture().logged.length;
      const since = () => fixture().logged.slice(before);
      await expect.poll(() => since().some((line) => line.includes('pass failed')), wait).toBe(true);
    },
  };
}
