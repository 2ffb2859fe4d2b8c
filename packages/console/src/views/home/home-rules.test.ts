import { expect, test } from 'vitest';
import { agentsToAsk, agentsToShow, MOST_ASKED, MOST_SHOWN } from './home-rules.ts';

const agent = (number: number, more: object = {}) => ({
  id: String(number),
  status: 'READY' as const,
  status_reason: null as string | null,
  active_revision_id: 'one' as string | null,
  latest_revision_id: 'one' as string | null,
  updated_at: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
  ...more,
});
const agents = (count: number, more?: object) =>
  Array.from({ length: count }, (_, number) => agent(number, more));
const shownOf = (all: Parameters<typeof agentsToShow<ReturnType<typeof agent>>>[0]) =>
  agentsToShow(all).shown.map(({ deployment }) => deployment.id);

test('when there are few agents, then all are shown, those in trouble first', () => {
  const all = [
    agent(1),
    agent(2, { status_reason: 'It broke.' }),
    agent(3),
    agent(4, { latest_revision_id: 'two' }),
  ];
  expect(shownOf(all)).toEqual(['2', '4', '3', '1']);
  expect(agentsToShow(all).troubled).toBe(2);
});

test('when there are many, then the old one that fails is shown, and the rest changed last', () => {
  const all = [agent(0, { status_reason: 'It broke.' }), ...agents(1000).slice(1)];
  expect(shownOf(all)).toEqual(['0', ...Array.from({ length: MOST_SHOWN - 1 }, (_, at) => String(999 - at))]);
});

test('when all are in trouble but some, then these have room too', () => {
  const all = [...agents(500, { status_reason: 'It broke.' }), agent(7000), agent(8000)];
  const shown = shownOf(all);
  expect(shown.slice(-2)).toEqual(['8000', '7000']);
  expect(shown).toHaveLength(MOST_SHOWN);
  expect(agentsToShow(all).troubled).toBe(500);
});

test('when there is room for all, then no agent in trouble is left out', () => {
  const all = [...agents(25, { status_reason: 'It broke.' }), agent(7000), agent(8000), agent(9000)];
  expect(shownOf(all)).toHaveLength(28);
});

test('when many agents serve, then those that changed last are asked what waits', () => {
  const all = [...agents(300), agent(9000, { active_revision_id: null })];
  const { asked, is_part } = agentsToAsk(all);
  expect([asked.length, asked[0]?.id, asked.at(-1)?.id]).toEqual([MOST_ASKED, '299', '250']);
  expect([is_part, agentsToAsk(agents(MOST_ASKED)).is_part]).toEqual([true, false]);
});
