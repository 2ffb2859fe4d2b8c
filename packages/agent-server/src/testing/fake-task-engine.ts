import type { CardWords } from '@roadstead/contracts/host';
import { assistantIdOf, Problem, uuidv7 } from '@roadstead/kit';
import type { ServedAssistant } from '../engine/served-revision.ts';
import type {
  BeginTask,
  EarlierQuery,
  EarlierTasks,
  Owner,
  ResumeTask,
  TaskEngine,
  TaskPage,
  TaskPlace,
  TaskQuery,
} from '../tasks/task-engine.ts';
import type { Reader } from '../runs/run.ts';
import {
  type Artifact,
  interruptedStates,
  isSettled,
  isTerminal,
  type Part,
  type Task,
  type TaskEvent,
  type TaskMessage,
  type TaskStatus,
} from '../tasks/task.ts';

/** A task engine in memory, for tests; held to the same suite as the real one. */

/**
 * The next step of a scripted graph: it sends a piece of an artifact, shows one, or asks (the answer is what the yield
 * gives).
 */
export type FakeStep = SayStep | ShowStep | AskStep;
interface AskStep {
  readonly ask: unknown;
  readonly wants?: 'credentials';
}
interface ShowStep {
  readonly artifact: string;
  readonly show: readonly Part[];
}
interface SayStep {
  readonly artifact: string;
  readonly say: string;
  readonly last?: boolean;
}
type FakeScript = (run: FakeRun) => AsyncGenerator<FakeStep, void, unknown>;

interface FakeRun {
  readonly input: Readonly<Record<string, unknown>>;
  /** The person's texts in this conversation, this run's last. */
  readonly said: readonly string[];
  /** Names an artifact of this run. */
  readonly id: string;
}

export interface FakeGraph {
  readonly description?: string;
  readonly card?: CardWords | undefined;
  readonly channels: readonly string[];
  readonly script: FakeScript;
}

interface Conversation {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly said: string[];
  /** Resolves when the last run that was queued has ended or asks. */
  tail: Promise<void>;
}

interface Entry {
  readonly owner: Owner;
  readonly conversation: Conversation;
  readonly request: BeginTask;
  readonly events: TaskEvent[];
  readonly wakers: Set<() => void>;
  task: Task;
  script: AsyncGenerator<FakeStep, void, unknown> | undefined;
  /** Resolved when it is cancelled. */
  readonly stop: PromiseWithResolvers<'cancelled'>;
}

export class FakeTaskEngine implements TaskEngine {
  readonly #graphs: ReadonlyMap<string, FakeGraph>;
  readonly #assistants: readonly ServedAssistant[];
  readonly #entries = new Map<string, Entry>();
  readonly #byMessage = new Map<string, { readonly entry: Entry; readonly digest: string | undefined }>();
  readonly #conversations = new Map<string, Conversation>();
  /** Every request that made or resumed a task, in order. */
  readonly taken: (BeginTask | ResumeTask)[] = [];

  constructor(graphs: Readonly<Record<string, FakeGraph>>) {
    this.#graphs = new Map(Object.entries(graphs));
    this.#assistants = Object.entries(graphs).map(([graph_id, { description, channels, card }]) => ({
      assistant_id: assistantIdOf(graph_id),
      graph: {
        graph_id,
        description: description ?? null,
        channels: [...channels],
        has_messages: channels.includes('messages'),
        card,
      },
    }));
  }

  async assistant(id: string): Promise<ServedAssistant | undefined> {
    return this.#assistant(id);
  }

  #assistant(id: string): ServedAssistant | undefined {
    return this.#assistants.find((one) => one.assistant_id === id || one.graph.graph_id === id);
  }

  assistants(): readonly ServedAssistant[] {
    return this.#assistants;
  }

  async task(owner: Owner, task_id: string): Promise<Task | undefined> {
    const entry = this.#entries.get(task_id);
    return entry !== undefined && isOf(entry, owner) ? entry.task : undefined;
  }

  async begin(owner: Owner, request: BeginTask): Promise<Task> {
    const key = messageKey(owner, request.message.message_id);
    const known = this.#byMessage.get(key);
    if (known !== undefined) {
      if (known.digest === request.digest && isOf(known.entry, owner)) return known.entry.task;
      throw new Problem('invalid', 'This messageId was used for another message.');
    }
    const context_id = request.context_id ?? uuidv7();
    const conversation = this.#conversation(owner, context_id);
    if (!isWithin(conversation, owner)) throw new Problem('invalid', 'There is no such context here.');
    this.taken.push(request);
    const status: TaskStatus = { state: 'submitted', at: now() };
    const { assistant_id } = owner;
    const entry: Entry = {
      owner,
      request,
      conversation,
      events: [],
      wakers: new Set(),
      task: {
        id: uuidv7(),
        context_id,
        assistant_id,
        status,
        history: [request.message],
        artifacts: [],
        seq: 1,
      },
      script: undefined,
      stop: Promise.withResolvers(),
    };
    this.#byMessage.set(key, { entry, digest: request.digest });
    this.#entries.set(entry.task.id, entry);
    const committed = entry.task;
    this.#drive(entry, undefined);
    return committed;
  }

  async resume(owner: Owner, request: ResumeTask): Promise<Task | undefined> {
    const entry = this.#entries.get(request.task_id);
    if (entry === undefined || !isOf(entry, owner)) return undefined;
    if (!interruptedStates.includes(entry.task.status.state)) return undefined;
    if (request.seen_seq !== undefined && request.seen_seq !== entry.task.seq) return undefined;
    const key = messageKey(owner, request.message.message_id);
    if (this.#byMessage.has(key))
      throw new Problem('invalid', 'This messageId was used for another message.');
    this.#byMessage.set(key, { entry, digest: undefined });
    this.taken.push(request);
    entry.task = { ...entry.task, history: [...entry.task.history, request.message] };
    setStatus(entry, { state: 'working', at: now() });
    const committed = entry.task;
    this.#drive(entry, { value: request.value });
    return committed;
  }

  async cancel(owner: Owner, task_id: string): Promise<Task | undefined> {
    const entry = this.#entries.get(task_id);
    if (entry === undefined || !isOf(entry, owner)) return undefined;
    if (!isTerminal(entry.task.status.state)) {
      setStatus(entry, { state: 'canceled', at: now() });
      entry.stop.resolve('cancelled');
    }
    return entry.task;
  }

  async list(owner: Owner, query: TaskQuery): Promise<TaskPage> {
    const { context_id, state, since = '', after, limit, with_artifacts, with_history } = query;
    const all = [...this.#entries.values()]
      .filter((entry) => isOf(entry, owner))
      .map(({ task }) => task)
      .filter((task) => context_id === undefined || task.context_id === context_id)
      .filter(({ status }) => (state === undefined || status.state === state) && status.at >= since)
      .toSorted((one, other) => (isBefore(placeOf(one), placeOf(other)) ? -1 : 1));
    const rest = all.filter((task) => after === undefined || isBefore(after, placeOf(task)));
    const tasks = rest.slice(0, limit).map((task) => ({
      ...task,
      artifacts: with_artifacts ? task.artifacts : [],
      history: with_history ? task.history : [],
    }));
    return { tasks, total: all.length, has_more: rest.length > limit };
  }

  async earlier(owner: Owner, { context_id, before, max_length }: EarlierQuery): Promise<EarlierTasks> {
    const all = [...this.#entries.values()]
      .filter((entry) => isOf(entry, owner))
      .map(({ task }) => task)
      .filter((task) => task.context_id === context_id && task.id < before)
      .toSorted((one, other) => (one.id > other.id ? -1 : 1));
    let length = 0;
    const end = all.findIndex(({ history, artifacts }, at) => {
      length += JSON.stringify(history).length + JSON.stringify(artifacts).length;
      return at > 0 && length > max_length;
    });
    return { tasks: end < 0 ? all : all.slice(0, end), has_more: end >= 0 };
  }

  async *events(task_id: string, after_seq: number, { signal }: Reader): AsyncGenerator<TaskEvent> {
    const entry = this.#entries.get(task_id);
    if (entry === undefined) return;
    let read = after_seq;
    while (!signal.aborted) {
      const event = entry.events.find((one) => one.seq > read);
      if (event === undefined) {
        if (isTerminal(entry.task.status.state)) return;
        await changed(entry, signal);
        continue;
      }
      read = event.seq;
      yield event;
    }
  }

  async settled(task_id: string, signal: AbortSignal): Promise<Task> {
    const entry = this.#entries.get(task_id);
    if (entry === undefined) throw new Error('no such task');
    while (!isSettled(entry.task.status.state) && !signal.aborted) await changed(entry, signal);
    return entry.task;
  }

  #conversation(owner: Owner, context_id: string): Conversation {
    const key = JSON.stringify([owner.principal, owner.assistant_id, context_id]);
    const conversation = this.#conversations.get(key) ?? {
      metadata: owner.thread_metadata ?? {},
      said: [],
      tail: Promise.resolve(),
    };
    this.#conversations.set(key, conversation);
    return conversation;
  }

  #drive(entry: Entry, answer: { readonly value: unknown } | undefined): void {
    const before = entry.conversation.tail;
    entry.conversation.tail = before.then(() => this.#run(entry, answer));
  }

  async #run(entry: Entry, answer: { readonly value: unknown } | undefined): Promise<void> {
    if (isTerminal(entry.task.status.state)) return;
    if (answer === undefined) setStatus(entry, { state: 'working', at: now() });
    const script = (entry.script ??= this.#script(entry));
    try {
      for (let given = answer?.value; ; given = undefined) {
        const step = await Promise.race([script.next(given), entry.stop.promise]);
        if (step === 'cancelled') return;
        if (step.done === true) return complete(entry);
        if ('ask' in step.value) return ask(entry, step.value);
        if ('show' in step.value) show(entry, step.value);
        else say(entry, step.value);
      }
    } catch {
      const sentence = `The agent failed; the reason is in its log, under ${entry.task.id}.`;
      setStatus(entry, {
        state: 'failed',
        at: now(),
        message: agentMessage([{ kind: 'text', text: sentence }]),
      });
    }
  }

  #script({ request, conversation, owner, task }: Entry): AsyncGenerator<FakeStep, void, unknown> {
    const graph = this.#graphs.get(this.#assistant(owner.assistant_id)?.graph.graph_id ?? '');
    if (graph === undefined) throw new Error('no such graph');
    conversation.said.push(
      ...request.message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])),
    );
    return graph.script({ input: request.input, said: [...conversation.said], id: task.id });
  }
}

function say(entry: Entry, { artifact: artifact_id, say: text, last = false }: SayStep): void {
  const { artifacts } = entry.task;
  const known = artifacts.find((one) => one.artifact_id === artifact_id);
  const whole: Artifact = { artifact_id, parts: [{ kind: 'text', text: textOf(known) + text }] };
  const seq = entry.task.seq + 1;
  entry.task = {
    ...entry.task,
    seq,
    artifacts: known === undefined ? [...artifacts, whole] : artifacts.with(artifacts.indexOf(known), whole),
  };
  const piece: Artifact = { artifact_id, parts: [{ kind: 'text', text }] };
  commit(entry, { seq, kind: 'artifact', artifact: piece, append: known !== undefined, last_chunk: last });
}

function show(entry: Entry, { artifact: artifact_id, show: parts }: ShowStep): void {
  const seq = entry.task.seq + 1;
  const artifact = { artifact_id, parts };
  entry.task = { ...entry.task, seq, artifacts: [...entry.task.artifacts, artifact] };
  commit(entry, { seq, kind: 'artifact', artifact, append: false, last_chunk: true });
}

function ask(entry: Entry, { ask: value, wants }: AskStep): void {
  const part: Part =
    typeof value === 'string' ? { kind: 'text', text: value } : { kind: 'data', data: value };
  const message = { ...agentMessage([part]), metadata: { interrupt_id: 'first' } };
  entry.task = { ...entry.task, history: [...entry.task.history, message] };
  const state = wants === 'credentials' ? 'auth-required' : 'input-required';
  setStatus(entry, { state, at: now(), message });
}

function complete(entry: Entry): void {
  const last = entry.task.artifacts.at(-1);
  const message = last && { ...agentMessage(last.parts), message_id: last.artifact_id };
  setStatus(entry, { state: 'completed', at: now(), ...(message ? { message } : {}) });
}

function setStatus(entry: Entry, status: TaskStatus): void {
  const seq = entry.task.seq + 1;
  entry.task = { ...entry.task, seq, status };
  commit(entry, { seq, kind: 'status', status });
}

function commit(entry: Entry, event: TaskEvent): void {
  entry.events.push(event);
  for (const wake of entry.wakers) wake();
}

async function changed(entry: Entry, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  entry.wakers.add(resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  entry.wakers.delete(resolve);
}

function isOf({ owner, conversation }: Entry, asking: Owner): boolean {
  const { principal, assistant_id } = asking;
  return (
    owner.principal === principal && owner.assistant_id === assistant_id && isWithin(conversation, asking)
  );
}

const isWithin = ({ metadata }: Conversation, { within = {} }: Owner) =>
  Object.entries(within).every(([field, value]) => metadata[field] === value);

function messageKey(owner: Owner, message_id: string): string {
  return JSON.stringify([owner.principal, owner.assistant_id, message_id]);
}

const placeOf = ({ id, status }: Task): TaskPlace => ({ at: status.at, task_id: id });
const isBefore = (one: TaskPlace, other: TaskPlace) =>
  one.at === other.at ? one.task_id < other.task_id : one.at > other.at;

const now = () => new Date().toISOString();
const agentMessage = (parts: readonly Part[]): TaskMessage => ({
  message_id: uuidv7(),
  role: 'agent',
  parts,
});

function textOf(artifact: Artifact | undefined): string {
  return (artifact?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('');
}
