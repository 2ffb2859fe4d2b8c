import type { CardWords } from '@roadstead/contracts/host';
import type { Part } from '../tasks/task.ts';
import type { FakeGraph } from './fake-task-engine.ts';

/** Scripted graphs for tests; the task engine suite describes the first six. */
export interface FakeGraphs {
  readonly graphs: Readonly<Record<string, FakeGraph>>;
  /** Lets every run of `gate` go on, now and later. */
  readonly release: () => void;
}

const messages = ['messages'];

export function fakeGraphs(cards: Readonly<Record<string, CardWords>> = {}): FakeGraphs {
  const gate = Promise.withResolvers<void>();
  const graphs: Readonly<Record<string, FakeGraph>> = {
    echo: {
      description: 'Says it again',
      channels: messages,
      async *script({ said, id }) {
        const text = said.at(-1) ?? '';
        yield { artifact: id, say: 'Echo: ' };
        yield { artifact: id, say: text, last: true };
      },
    },
    memory: {
      channels: messages,
      async *script({ said, id }) {
        yield { artifact: id, say: said.join(' | '), last: true };
      },
    },
    ask: {
      channels: messages,
      async *script({ id }) {
        let answer: unknown = 'again';
        while (answer === 'again') answer = yield { ask: 'What is your name?' };
        yield { artifact: id, say: `Hello, ${String(answer)}!`, last: true };
      },
    },
    login: {
      channels: messages,
      async *script({ id }) {
        yield { ask: 'Sign in at the bank.', wants: 'credentials' };
        yield { artifact: id, say: 'Signed in.', last: true };
      },
    },
    form: {
      channels: messages,
      async *script({ id }) {
        const answer = yield { ask: { question: 'Which?', options: ['a', 'b'] } };
        yield { artifact: id, say: JSON.stringify(answer), last: true };
      },
    },
    gate: {
      channels: messages,
      async *script({ id }) {
        await gate.promise;
        yield { artifact: id, say: 'Opened', last: true };
      },
    },
    fail: {
      channels: messages,
      // eslint-disable-next-line require-yield
      async *script() {
        throw new Error('no luck');
      },
    },
    steps: {
      channels: messages,
      async *script({ id }) {
        yield { artifact: `${id}-a`, say: 'Let me see.', last: true };
        yield { artifact: `${id}-b`, say: 'It is ' };
        yield { artifact: `${id}-b`, say: '42.', last: true };
      },
    },
    picture: {
      channels: messages,
      async *script({ input, id }) {
        yield { artifact: id, show: filesIn(input) };
      },
    },
    data: {
      channels: ['city', 'days'],
      async *script({ input, id }) {
        yield { artifact: id, say: JSON.stringify(input), last: true };
      },
    },
  };
  return {
    release: () => gate.resolve(),
    graphs: Object.fromEntries(
      Object.entries(graphs).map(([id, graph]) => [id, { ...graph, card: cards[id] }]),
    ),
  };
}

/** The files of the newest message, which came as content blocks. */
function filesIn(input: Readonly<Record<string, unknown>>): Part[] {
  const [message] = input['messages'] as readonly [{ readonly content: readonly Block[] }];
  return message.content.flatMap(({ data, mimeType, metadata }) =>
    data === undefined
      ? []
      : [{ kind: 'file', file: { bytes: data }, media_type: mimeType ?? '', name: metadata?.filename ?? '' }],
  );
}

interface Block {
  readonly data?: string;
  readonly mimeType?: string;
  readonly metadata?: { readonly filename?: string };
}
