import { useFixturePerTest } from '@roadstead/testing';
import type { FakeListener } from './fake-listener.ts';
import { appendLogs } from '../logs/log-store.ts';
import { deploy, startFixture } from './fixture.ts';

export const line = (message: string) => ({
  at: '2026-01-01T00:00:00.000Z',
  level: 'INFO' as const,
  message,
});

/** A control plane for each test; `begin` makes a deployment there, whose listener can write its log. */
export function useLoggedDeployments() {
  const fixture = useFixturePerTest(startFixture);

  async function begin(): Promise<{ deployment_id: string; revision_id: string; listener: FakeListener }> {
    const listener = fixture().listener();
    const { id } = await deploy(fixture(), 'logged');
    const news = await listener.next(id);
    return { deployment_id: id, revision_id: news.revision?.id ?? '', listener };
  }

  const append = (of: { deployment_id: string; revision_id: string }, seq: number, messages: string[]) =>
    appendLogs(fixture().db, { ...of, kind: 'server', writer: 'w', seq, lines: messages.map(line) });

  return { fixture, client: () => fixture().client(), begin, append };
}
