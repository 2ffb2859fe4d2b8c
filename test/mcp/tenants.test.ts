import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { type Caller, OTHER_KEY, startMcpFixture } from './mcp-fixture.ts';
import { seed, sender } from './seed.ts';
import { type KnownInputs, type ListedTool, shapesOf } from './shapes.ts';
import { inTurns } from './turns.ts';

/** Two callers at once, each with all that a tool can be asked, never read what is the other's. */

interface Tenant {
  readonly word: string;
  readonly caller: Caller;
  readonly known: KnownInputs;
}

const fixture = useFixture(startMcpFixture);
const callers = useFixture(() => new AsyncDisposableStack());
const tenants = useFixture(() => {
  const keys = { amber: fixture().headers['SERVICE-API-KEY'] ?? '', cobalt: OTHER_KEY };
  return Promise.all(
    Object.entries(keys).map(async ([word, key]) => ({
      word,
      known: await seed(sender(fixture().api_url, key), word),
      caller: callers().use(
        await fixture().connect('client 2.x, HTTP, 2026-07-28', { key, toolsets: 'all' }),
      ),
    })),
  );
});

test('when others call at the same time, then no tool shows anything of another workspace', async () => {
  const [one, other] = tenants() as [Tenant, Tenant];
  const { tools } = (await one.caller.listTools()) as { tools: ListedTool[] };
  const calls = [...callsOf(one, other, tools), ...callsOf(other, one, tools)];
  // So that both are under way at once.
  const mixed = calls.toSorted((a, b) => a.at - b.at);
  const shown = new Map<string, number>();
  const leaks = await inTurns(mixed, async ({ tool, given, mine, theirs }) => {
    const answer = await mine.caller.call(tool, given);
    const text = JSON.stringify(answer);
    if (text.includes(mine.word)) shown.set(tool, (shown.get(tool) ?? 0) + 1);
    return text.includes(theirs.word) ? [`${tool} ${JSON.stringify(given)}: ${text.slice(0, 300)}`] : [];
  });
  expect(leaks).toEqual([]);
  // What belongs to the caller is shown, so that the test isn't one of empty answers.
  expect([...shown.keys()]).toEqual(expect.arrayContaining(['fetch_runs', 'get_thread_history']));
});

/** What is the caller's own, and the same with the ids of the other. */
function callsOf(mine: Tenant, theirs: Tenant, tools: readonly ListedTool[]) {
  return [mine.known, { ...mine.known, values: idsOf(theirs, mine) }]
    .flatMap((known) => tools.flatMap((tool) => shapesOf(tool, known)))
    .filter(({ refused, same_as }) => refused === undefined && same_as === undefined)
    .map(({ tool, given }, at) => ({ tool, given, at, mine, theirs }));
}

/** Ids are of the other, words are not: an answer may say again what it was asked for. */
function idsOf(theirs: Tenant, mine: Tenant): KnownInputs['values'] {
  const mixed = Object.entries(theirs.known.values).map(([name, value]) => {
    const says = JSON.stringify(value).includes(theirs.word);
    return [name, says ? mine.known.values[name] : value];
  });
  return Object.fromEntries(mixed) as KnownInputs['values'];
}
