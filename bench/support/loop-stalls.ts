import { setTimeout as pause } from 'node:timers/promises';

/** The longest time for which a Node process kept its event loop from what waited, watched from outside through its inspector. */
export interface LoopWatch {
  /** Since the start of the watch, in ms; ends it. */
  longest(): Promise<number>;
}

export interface WatchedLoop {
  readonly pid: number;
  /** A part of the name of the file that one of its threads runs; without it the main thread is watched. */
  readonly thread?: string;
}

const PORT = 9229;
/** Opening and closing the inspector hold the loop themselves: nothing counts before it is closed, nor once it is opened again. */
const BEGIN_MS = 500;
const NOTE_MS = 50;
const WATCH = `globalThis.__stalls = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 });
  globalThis.__noted = [];
  setTimeout(() => {
    __stalls.enable();
    setInterval(() => __noted.push([Date.now(), __stalls.max / 1e6]), ${NOTE_MS}).unref();
  }, ${BEGIN_MS})`;
const READ = (until: number) => `__stalls.disable(), __noted.findLast(([at]) => at <= ${until})[1]`;
/** The inspector listens at one port: it is closed as soon as it was asked. */
const CLOSE = 'setTimeout(() => process._debugEnd(), 20)';

export async function watchLoop(loop: WatchedLoop): Promise<LoopWatch> {
  await evaluate(loop, WATCH);
  await pause(BEGIN_MS);
  return { longest: async () => Number(await evaluate(loop, READ(Date.now()))) };
}

async function evaluate({ pid, thread }: WatchedLoop, expression: string): Promise<unknown> {
  process.kill(pid, 'SIGUSR1');
  const inspector = await openInspector();
  const value = await (thread === undefined ? inspector.ask : await inspector.askThread(thread))(expression);
  await inspector.ask(CLOSE);
  inspector.close();
  await closed();
  return value;
}

interface InspectorMessage {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
  readonly method?: string;
  readonly params?: {
    readonly sessionId: string;
    readonly message?: string;
    readonly workerInfo?: { readonly url: string };
  };
}

async function openInspector() {
  const socket = new WebSocket(await addressOf());
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  let last_id = 0;
  const send = (method: string, params: object) => {
    last_id += 1;
    socket.send(JSON.stringify({ id: last_id, method, params }));
    return last_id;
  };
  const heard = <T>(find: (told: InspectorMessage) => T | undefined) =>
    new Promise<T>((resolve) =>
      socket.addEventListener('message', ({ data }) => {
        const found = find(JSON.parse(String(data)) as InspectorMessage);
        if (found !== undefined) resolve(found);
      }),
    );
  return {
    ask: async (expression: string) => {
      const id = send('Runtime.evaluate', { expression });
      return (await heard((told) => (told.id === id ? told : undefined))).result?.result?.value;
    },
    /** Messages to the thread are sent within messages to the process. */
    askThread: async (thread: string) => {
      const attached = heard(({ params }) =>
        params?.workerInfo?.url.includes(thread) === true ? params.sessionId : undefined,
      );
      send('NodeWorker.enable', { waitForDebuggerOnStart: false });
      const sessionId = await attached;
      return async (expression: string) => {
        const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } });
        send('NodeWorker.sendMessageToWorker', { sessionId, message });
        const answer = await heard(({ params }) =>
          params?.sessionId === sessionId ? params.message : undefined,
        );
        return (JSON.parse(answer) as InspectorMessage).result?.result?.value;
      };
    },
    close: () => socket.close(),
  };
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
