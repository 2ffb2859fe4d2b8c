import { shapes } from './frame-shapes.ts';
import { MalformedFrame } from './malformed-frame.ts';
import { type Check, type Shapes, ShapeCompiler } from './shape-check.ts';
import type { EngineCalls, HostCalls, HostTells } from './protocol.ts';
import {
  noSharedVersion,
  NoSharedVersion,
  PROTOCOL_VERSIONS,
  sharedVersion,
  versionsOf,
} from './versions.ts';
import type { CallTable, Message, NoTells, Question } from './questions.ts';

/** Reads what the other side sends. A method that this side does not know is undefined. */
export interface FrameChecks<Ours extends CallTable<Ours>, Theirs extends CallTable<Theirs>, Tells> {
  /** @throws MalformedFrame */
  readonly question: (head: MethodHead, blobs: number) => Question<Theirs> | undefined;
  /** @throws MalformedFrame */
  readonly message: (head: MethodHead, blobs: number) => Message<Tells> | undefined;
  /** @throws MalformedFrame */
  readonly result: <Method extends keyof Ours & string>(
    method: Method,
    answer: Pick<Answer, 'result' | 'blobs'>,
  ) => Ours[Method]['result'];
}

interface MethodHead {
  readonly method: string;
  readonly params: unknown;
}

interface Answer {
  readonly result: unknown;
  readonly blobs: number;
}

/** Checks by method; undefined for what needs none. */
type Checks = ReadonlyMap<string, Check | undefined>;

const compiler = new ShapeCompiler(shapes.$defs);
const checksOf = (table: Shapes): Checks =>
  new Map(Object.entries(table).map(([method, shape]) => [method, compiler.compile(shape)]));

function frameChecks<Ours extends CallTable<Ours>, Theirs extends CallTable<Theirs>, Tells>(tables: {
  readonly questions: Shapes;
  readonly messages: Shapes;
  readonly results: Shapes;
}): FrameChecks<Ours, Theirs, Tells> {
  const questions = checksOf(tables.questions);
  const messages = checksOf(tables.messages);
  const results = checksOf(tables.results);
  /** Values that the check of a method admits have the type of the method: one schema makes both. */
  const admits = <Admitted>(head: unknown, fault: string | undefined): head is Admitted =>
    fault === undefined;
  const read = <Admitted>(checks: Checks, head: MethodHead, blobs: number): Admitted | undefined => {
    if (!checks.has(head.method)) return undefined;
    const fault = checks.get(head.method)?.(head.params, blobs);
    if (admits<Admitted>(head, fault)) return head;
    throw new MalformedFrame(`in "${head.method}", params${fault}`);
  };
  return {
    question: (head, blobs) => read(questions, head, blobs),
    message: (head, blobs) => read(messages, head, blobs),
    result: <Method extends keyof Ours & string>(method: Method, { result, blobs }: Answer) => {
      const fault = results.get(method)?.(result, blobs);
      if (admits<Ours[Method]['result']>(result, fault)) return result;
      throw new MalformedFrame(`in the answer to "${method}", result${fault}`);
    },
  };
}

const ofHosts = frameChecks<EngineCalls, HostCalls, HostTells>({
  questions: shapes.host_questions,
  messages: shapes.host_messages,
  results: shapes.host_answers,
});

/** For the engine, which reads what hosts send. */
export const checksOfHosts: FrameChecks<EngineCalls, HostCalls, HostTells> = {
  ...ofHosts,
  /** @throws NoSharedVersion for a host whose other answers need not fit either */
  result: (method, answer) => {
    if (method === 'describe') checkVersions(versionsOf(answer.result));
    return ofHosts.result(method, answer);
  },
};

function checkVersions(host: readonly number[] | undefined): void {
  if (sharedVersion(PROTOCOL_VERSIONS, host) === undefined)
    throw new NoSharedVersion(noSharedVersion(host ?? [], PROTOCOL_VERSIONS));
}

/** For a host, which reads what its engine sends. */
export const checksOfEngine: FrameChecks<HostCalls, EngineCalls, NoTells> = frameChecks({
  questions: shapes.engine_questions,
  messages: {},
  results: shapes.engine_answers,
});
