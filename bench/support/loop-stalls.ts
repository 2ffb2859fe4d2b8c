import { setTimeout as pause } from 'node:timers/promises';

/** The longest time for which a Node process kept its event loop from what waited, watched from outside through its inspector. */
export interface LoopWatch {
  /** Since the start of the watch, in ms; ends it. */
  longest(): Promise<number>;
}

const PORT = 9229;
/** Opening and closing the inspector hold the loop themselves: nothing is counted before it is closed, and after this signal. */
const STOP = 'SIGUSR2';
const BEGIN_MS = 500;
const WATCH = `globalThis.__stalls = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 });
  process.once('${STOP}', () => globalThis.__stalls.disable());
  setTimeout(() => globalThis.__stalls.enable(), ${BEGIN_MS})`;
const READ = 'globalThis.__stalls.max / 1e6';
/** The inspector listens at one port: it is closed as soon as it was asked. */
const CLOSE = 'setTimeout(() => process._debugEnd(), 20)';

export async function watchLoop(pid: number): Promise<LoopWatch> {
  await evaluate(pid, WATCH);
  await pause(BEGIN_MS);
  return {
    longest: async () => {
      process.kill(pid, STOP);
      await pause(100);
      return Number(await evaluate(pid, READ));
    },
  };
}

async function evaluate(pid: number, expression: string): Promise<unknown> {
  process.kill(pid, 'SIGUSR1');
  const socket = new WebSocket(await addressOf());
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const ask = (id: number, text: string) =>
    new Promise<unknown>((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const told = JSON.parse(String(data)) as Told;
        if (told.id === id) resolve(told.result?.result?.value);
      });
      socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params: { expression: text } }));
    });
  const value = await ask(1, expression);
  await ask(2, CLOSE);
  socket.close();
  await closed();
  return value;
}

interface Told {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

async function addressOf(): Promise<string> {
  for (;;) {
    const targets = await fetch(`http://127.0.0.1:${PORT}/json/list`).catch(() => undefined);
    const [target] = ((await targets?.json()) ?? []) as { webSocketDebuggerUrl: string }[];
    if (target !== undefined) return target.webSocketDebuggerUrl;
    await pause(20);
  }
}

async function closed(): Promise<void> {
  while (
    await fetch(`http://127.0.0.1:${PORT}/json/list`).then(
      () => true,
      () => false,
    )
  )
    await pause(20);
}
