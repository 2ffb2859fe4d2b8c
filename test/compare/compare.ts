import { callByJavaScript } from './calls/javascript.ts';
import { callByPython } from './calls/python.ts';
import { type ComparedCall, compareCalls, type Sdk } from './rules/comparison.ts';
import { scenarios } from './scenarios/index.ts';
import type { ComparedServer } from './servers/address.ts';
import { originalPython, startOriginal } from './servers/original.ts';
import { startOwn } from './servers/own.ts';

/** Asks both servers everything by both SDKs; or says why the original can't be had. */
export async function compareAll(): Promise<readonly ComparedCall[] | string> {
  const found = await originalPython();
  if (typeof found === 'string') return found;
  const { python } = found;
  const clients = new Map([
    ['Python' as Sdk, callByPython(python)],
    ['JavaScript' as Sdk, callByJavaScript],
  ]);
  const asked = async (addresses: Parameters<typeof callByJavaScript>[1]) => {
    const answers = new Map<Sdk, Awaited<ReturnType<typeof callByJavaScript>>>();
    for (const [sdk, client] of clients) answers.set(sdk, await client(scenarios, addresses));
    return answers;
  };
  const theirs = await withServer(() => startOriginal(python), asked);
  const ours = await withServer(startOwn, asked);
  return [...clients.keys()].flatMap((sdk) =>
    compareCalls(sdk, scenarios, { theirs: theirs.get(sdk) ?? [], ours: ours.get(sdk) ?? [] }),
  );
}

/** One server after the other: both at once would make each other late. */
async function withServer<T>(
  start: () => Promise<ComparedServer>,
  ask: (addresses: ComparedServer['addresses']) => Promise<T>,
): Promise<T> {
  await using server = await start();
  return await ask(server.addresses);
}
