import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CardWords } from '@roadstead/contracts/host';
import { expect, test } from 'vitest';
import { HUNG_MS, kept, pythonWith } from '@roadstead/testing/processes';
import { openTestAgent } from '../testing/test-agent.ts';

/** The official clients in Go and Python, of both versions of the protocol, with the cards that they find. */

const run = promisify(execFile);
const MINUTES_5 = 300_000;
const folder = (name: string) => fileURLToPath(new URL(`clients/${name}`, import.meta.url));

/** Runs a client in an environment and answers what it wrote; why it can't be run, in words. */
type Client = (env: Readonly<Record<string, string>>) => Promise<string>;

async function goClient(name: string): Promise<Client | string> {
  try {
    const program = await built(folder(name));
    return async (env) => (await run(program, [], { env, timeout: HUNG_MS })).stdout;
  } catch (error) {
    return `Go can't be tried: ${error instanceof Error ? error.message.slice(0, 300) : 'it is not there'}`;
  }
}

/** Built once for all tests. */
async function built(source: string): Promise<string> {
  const files = ['main.go', 'go.mod', 'go.sum'].map((file) => readFile(join(source, file)));
  const digest = createHash('sha256').update(Buffer.concat(await Promise.all(files)));
  const options = { cwd: source, timeout: MINUTES_5 };
  const folder = await kept(`go-${digest.digest('hex').slice(0, 12)}`, (part) =>
    run('go', ['build', '-buildvcs=false', '-o', join(part, 'client'), '.'], options),
  );
  return join(folder, 'client');
}

async function pythonClient(name: string, packages: readonly string[]): Promise<Client | string> {
  const python = await pythonWith(packages);
  if (typeof python === 'string') return python;
  const program = await readFile(folder(name), 'utf8');
  return (env) => python.run(program, env);
}

const python1 = () =>
  pythonClient('python-1.py', ['a2a-sdk[http-server,signing]==1.3.0', 'httpx==0.28.1', 'PyJWT==2.15.1']);
const python03 = () =>
  pythonClient('python-0.3.py', ['a2a-sdk[signing]==0.3.26', 'httpx==0.28.1', 'PyJWT==2.15.1']);
const python02 = () => pythonClient('python-0.2.py', ['a2a-sdk==0.2.16', 'httpx==0.28.1']);
const go2 = () => goClient('go-2');
const go03 = () => goClient('go-0.3');

const words: CardWords = {
  skills: [{ id: 'echo', name: 'Echo', description: 'Says it again — twice.', tags: ['echo'] }],
  signed: true,
  extended: { description: 'Says it again, louder' },
};
const schemes = ['apiKey', 'bearer'];
const [completed, input_required] = ['TASK_STATE_COMPLETED', 'TASK_STATE_INPUT_REQUIRED'];

/** The steps of Python 1 for a card of any version. */
const of_python_1 = [
  ['card', ['echo', 1, schemes]],
  ['forged', 'refused'],
  ['sent', [completed, 'Echo: Hi']],
  ['read', [true, 'Echo: Hi']],
  ['extended', 'Says it again, louder'],
  ['streamed', ['task', 'status_update', 'Echo: Hi']],
  ['file', ['hi', 'image/png', 'a.png']],
  ['asked', [input_required, 'Hello, Ada!']],
  ['unknown', 'TaskNotFoundError'],
  ['unknown stream', 'TaskNotFoundError'],
];
const of_python_03 = [
  ['card', ['echo', 1, schemes]],
  ['forged', 'refused'],
  ['sent', ['completed', 'Echo: Hi']],
  ['read', [true, 'Echo: Hi']],
  ['extended', 'Says it again, louder'],
  ['streamed', ['task', 'status-update', 'Echo: Hi']],
  ['file', ['hi', 'image/png', 'a.png']],
  ['asked', ['input-required', 'Hello, Ada!']],
  ['unknown', 'A2AClientJSONRPCError'],
  ['unknown stream', 'A2AClientJSONRPCError'],
];
const of_python_02 = [
  ['card', ['echo', 1]],
  ['sent', ['completed', 'Echo: Hi']],
  ['read', true],
  ['streamed', ['task', 'status-update']],
  ['unknown', -32_001],
];
const of_go = (done: string | undefined, asked: string | undefined, extended: unknown) => [
  ['card', ['echo', 1, 2]],
  ['sent', [done, 'Echo: Hi']],
  ['read', [true, 'Echo: Hi']],
  ['extended', [extended]],
  ['streamed', [done, 'Echo: Hi']],
  ['file', ['hi', 'image/png', 'a.png']],
  ['asked', [asked, 'Hello, Ada!']],
  ['unknown', [true]],
  ['unknown stream', [true]],
];

const louder = 'Says it again, louder';
/** It takes the scopes of a requirement for a bare list, where the protocol has an object. */
const misread = expect.stringContaining('AgentCard.securityRequirements.schemes') as unknown;

test.for([
  ['Python 1.3.0', '', python1, of_python_1],
  ['Python 1.3.0', '1.0', python1, of_python_1],
  ['Python 0.3.26', '', python03, of_python_03],
  ['Python 0.3.26', '0.3', python03, of_python_03],
  ['Python 0.2.16', '', python02, of_python_02],
  ['Go 2.3.1', '', go2, of_go(completed, input_required, misread)],
  ['Go 2.3.1 speaking 0.3', '0.3', go2, of_go(completed, input_required, louder)],
  ['Go 0.3.15', '', go03, of_go('completed', 'input-required', louder)],
  ['Go 0.3.15', '0.3', go03, of_go('completed', 'input-required', louder)],
] as const)(
  'when %s reads the card of version "%s", then it goes through all its steps',
  async ([, VERSION, open, told], { skip }) => {
    const client = await open();
    if (typeof client === 'string') {
      process.stderr.write(`${client}\n`);
      return skip(client);
    }
    await using agent = await openTestAgent({ cards: { echo: words } });
    const written = await client({ AGENT: agent.url, KEY: 'first', VERSION });
    const steps = written.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
    expect(steps).toEqual(told);
  },
);
