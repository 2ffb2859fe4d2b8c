import {
  FrameDecoder,
  parseHead,
  type PackedFrame,
  unpackFrame,
} from '../../packages/contracts/src/host/frames.ts';
import { checksOfEngine, checksOfHosts } from '../../packages/contracts/src/host/frame-checks.ts';
import type { FrameChecks } from '../../packages/contracts/src/host/frame-checks.ts';
import type { CallTable } from '../../packages/contracts/src/host/questions.ts';
import { HostUnderTest } from '../../packages/graph-host/src/testing/host-process.ts';

/** The frames of one side while runs went on, read again and again. */
export interface RecordedFrames {
  readonly count: number;
  /** Parses all of them, as they were before they were checked. */
  parse(): void;
  /** Parses and checks all of them. */
  check(): void;
}

/** Records what engine and host send each other while `runs` runs of a graph go on, one after the other. */
export async function recordFrames(
  folder: string,
  { graph_id, runs }: { readonly graph_id: string; readonly runs: number },
): Promise<{ readonly of_host: RecordedFrames; readonly of_engine: RecordedFrames }> {
  await using host = new HostUnderTest(folder, { environment: { BENCH_UNTRACED: '1' } });
  await host.peer.ask('describe', {});
  const came: Uint8Array[] = [];
  const went: Uint8Array[] = [];
  host.channel.on('data', (bytes: Buffer) => came.push(Uint8Array.from(bytes)));
  const write = host.channel.write.bind(host.channel);
  host.channel.write = (bytes: Uint8Array) => {
    went.push(Uint8Array.from(bytes));
    return write(bytes);
  };
  for (let run = 0; run < runs; run += 1)
    await host.run({
      thread_id: crypto.randomUUID(),
      graph_id,
      input: { messages: [{ role: 'user', content: 'hello' }] },
      chunks: graph_id === 'tokens',
    });
  const ofHost = framesOf(came);
  const ofEngine = framesOf(went);
  return {
    of_host: recorded(ofHost, checksOfHosts, methodsOf(ofEngine)),
    of_engine: recorded(ofEngine, checksOfEngine, methodsOf(ofHost)),
  };
}

const framesOf = (pieces: readonly Uint8Array[]): readonly PackedFrame[] => {
  const decoder = new FrameDecoder();
  return pieces.flatMap((bytes) => decoder.push(bytes));
};

/** The method of each question, by its id: an answer names the id alone. */
function methodsOf(frames: readonly PackedFrame[]): ReadonlyMap<number, string> {
  const heads = frames.map((packed) => unpackFrame(packed, parseHead(packed.json)).head);
  return new Map(
    heads.flatMap((head) => (head.re !== undefined || head.id === undefined ? [] : [[head.id, head.method]])),
  );
}

// oxlint-disable-next-line roadstead/two-positional -- frames, what checks them, and what they answer
function recorded<Ours extends CallTable<Ours>, Theirs extends CallTable<Theirs>, Tells>(
  frames: readonly PackedFrame[],
  checks: FrameChecks<Ours, Theirs, Tells>,
  methods: ReadonlyMap<number, string>,
): RecordedFrames {
  const check = (packed: PackedFrame) => {
    const { head, blobs } = unpackFrame(packed, parseHead(packed.json));
    if (head.re !== undefined)
      return checks.result((methods.get(head.re) ?? '') as keyof Ours & string, {
        result: head.error === undefined ? head.result : undefined,
        blobs: blobs.length,
      });
    return head.id === undefined ? checks.message(head, blobs.length) : checks.question(head, blobs.length);
  };
  return {
    count: frames.length,
    parse: () => {
      for (const { json } of frames) parseHead(json);
    },
    check: () => {
      for (const packed of frames) check(packed);
    },
  };
}
