import { expect, test } from 'vitest';
import { listeningAgent } from '../../../packages/agent-server/src/testing/listening-agent.ts';
import { type Call, calls, type KnownIds } from './calls.ts';
import { type Difference, known } from './known.ts';
import { startOriginal } from './original.ts';
import { missing, shapeOf } from './shapes.ts';

/** All calls, in order. */
async function answersOf(url: string): Promise<Map<string, ReturnType<typeof shapeOf>>> {
  let known = {} as KnownIds;
  const answers = new Map<string, ReturnType<typeof shapeOf>>();
  for (const call of calls) {
    const { status, text } = await ask(url, call, known);
    if (call.keep !== undefined && status < 300)
      known = { ...known, ...call.keep(JSON.parse(text) as never) };
    answers.set(call.name, shapeOf(status, text));
  }
  return answers;
}

async function ask(url: string, call: Call, known: KnownIds): Promise<{ status: number; text: string }> {
  const [method, path, body] = call.ask(known);
  const answer = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

test('when the original server answers a call, then it is answered here as well', async ({ skip }) => {
  const original = await startOriginal();
  if (typeof original === 'string') {
    process.stderr.write(`${original}\n`);
    return skip(original);
  }
  await using there = original;
  await using here = await listeningAgent();
  const [theirs, ours] = [await answersOf(there.url), await answersOf(here.url)];
  const unknown: Record<string, readonly string[]> = {};
  const met = new Set<Difference>();
  for (const [name, one] of theirs) {
    const found = missing(one, ours.get(name) ?? shapeOf(0, '')).filter((difference) => {
      const why = known.find(({ call, field }) => call.test(name) && field.test(difference));
      if (why !== undefined) met.add(why);
      return why === undefined;
    });
    if (found.length > 0) unknown[name] = found;
  }
  expect(unknown).toEqual({});
  expect([theirs.size, known.filter((one) => !met.has(one))]).toEqual([calls.length, []]);
});
