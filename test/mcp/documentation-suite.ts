import { execFile } from 'node:child_process';
import { mkdtempDisposable, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { WORKSPACE } from '../../packages/observability/src/testing/observability-fixture.ts';
import { pythonWith } from '@roadstead/testing/processes';
import { answered, listed, recordsIn } from './answers.ts';
import { LATEST, startMcpFixture } from './mcp-fixture.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const run = promisify(execFile);

type Language = 'js' | 'python';
type Run = (program: string, env: Readonly<Record<string, string>>) => Promise<unknown>;

async function runJs(program: string, env: Readonly<Record<string, string>>): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'roadstead-example-'));
  await symlink(modules, join(folder.path, 'node_modules'));
  await writeFile(join(folder.path, 'example.mjs'), program);
  await run(process.execPath, [join(folder.path, 'example.mjs')], { env });
}

const packages = ['langsmith==0.15.0', 'langchain-core==1.4.9', 'pandas==3.1.1'];
const runners: Readonly<Record<Language, () => Promise<Run | string>>> = {
  js: async () => runJs,
  python: async () => {
    const python = await pythonWith(packages);
    return typeof python === 'string' ? python : python.run;
  },
};

/** All examples of a language in a text, as one program. */
function programIn(text: string, language: Language): string {
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const code = blocks.filter(([, said]) => said === language).map(([, , block]) => block);
  expect(code.length).toBeGreaterThan(1);
  // None is written in a language that isn't run.
  expect(new Set(blocks.map(([, said]) => said))).toEqual(new Set(['js', 'python']));
  return code.join('\n');
}

/** The texts that tell how something is done: each of their examples is run as it stands, and has done it then. */
export function documentationSuite(language: Language): void {
  const runner = useFixture(runners[language]);
  const fixture = useFixture(async () => {
    const started = await startMcpFixture();
    const langsmith = started.langsmith();
    for (const [question, error] of [['Is it red?'], ['Is it blue?', 'timed out']] as const)
      await langsmith.createRun({
        name: 'agent',
        run_type: 'chain',
        inputs: { question },
        outputs: { answer: 'Yes.' },
        project_name: 'support-agent',
        ...(error === undefined ? {} : { error }),
      });
    return started;
  });
  const caller = useFixture(async () => {
    const connected = await fixture().connect(`client 2.x, HTTP, ${LATEST}`);
    await connected.listTools();
    return connected;
  });

  async function runExamples(name: string, skip: (note: string) => never): Promise<void> {
    const runProgram = runner();
    if (typeof runProgram === 'string') return skip(runProgram);
    const { text } = await answered(caller(), name);
    await runProgram(programIn(String(text), language), {
      LANGSMITH_ENDPOINT: `${fixture().api_url}/api`,
      LANGSMITH_API_KEY: `key-${WORKSPACE}`,
    });
  }

  test('when the examples of prompts run, then they push prompts, and versions only on a change', async ({
    skip,
  }) => {
    await runExamples('push_prompt', skip);
    const { prompt } = await answered(caller(), 'get_prompt_by_name', { prompt_name: 'support-answer' });
    expect(prompt).toMatchObject({
      num_commits: 1,
      description: 'Answers customers',
      tags: ['support'],
      is_public: false,
      template: {
        messages: [
          { role: 'system', content: 'You answer customers of {shop}.' },
          { role: 'ai', content: 'How can I help?' },
          { role: 'placeholder', variable_name: 'history' },
          { role: 'human', content: '{question}' },
        ],
      },
    });
    const { prompt: verdict } = await answered(caller(), 'get_prompt_by_name', {
      prompt_name: 'support-verdict',
    });
    expect(verdict).toMatchObject({
      template: { type: 'StructuredPrompt', messages: [{ role: 'human' }] },
    });
    expect(JSON.stringify(verdict)).toContain('"required":["kind"]');
  });

  test('when the examples of datasets run, then they create datasets', async ({ skip }) => {
    await runExamples('create_dataset', skip);
    const given = { dataset_name: 'support-questions' };
    const examples = recordsIn(await answered(caller(), 'list_examples', given), 'examples');
    expect(examples.map(({ inputs }) => (inputs as { question: string }).question).toSorted()).toEqual([
      'Is it red?',
      'May I return it?',
      'Where is my order?',
    ]);
    expect(examples.filter(({ source_run_id }) => source_run_id !== undefined)).toHaveLength(1);
    expect(
      await listed(caller(), 'list_examples', {
        key: 'examples',
        member: 'outputs',
        splits: 'test',
        ...given,
      }),
    ).toEqual([{ answer: 'On its way.' }]);
    const others =
      language === 'js' ? ['support-questions-csv'] : ['support-questions-csv', 'support-questions-frame'];
    for (const dataset_name of others)
      expect(
        await listed(caller(), 'list_examples', { key: 'examples', member: 'outputs', dataset_name }),
      ).toEqual([{ answer: 'Until six.' }]);
  });

  test('when the examples of updates run, then they update examples', async ({ skip }) => {
    await runExamples('update_examples', skip);
    const given = { dataset_name: 'support-questions', key: 'examples' };
    expect(
      await listed(caller(), 'list_examples', { ...given, member: 'id', metadata: { language: 'en' } }),
    ).toHaveLength(3);
    expect(await listed(caller(), 'list_examples', { ...given, member: 'outputs', splits: 'hard' })).toEqual([
      { answer: 'It arrives tomorrow.' },
    ]);
  });

  test('when the examples of experiments run, then they run experiments', async ({ skip }) => {
    await runExamples('run_experiment', skip);
    const page = await answered(caller(), 'list_experiments', {
      reference_dataset_name: 'support-questions',
    });
    const experiments = recordsIn(page, 'experiments');
    expect(experiments.map(({ name }) => String(name).replace(/-\w+$/, ''))).toEqual(['judged', 'first try']);
    const scored = (key: string) => ({ [key]: expect.objectContaining({ n: 3, errors: 0 }) as object });
    expect(experiments).toMatchObject([
      { run_count: 3, error_rate: 0, feedback_stats: { ...scored('helpful'), ...scored('path') } },
      { run_count: 3, error_rate: 0, feedback_stats: { ...scored('exact'), ...scored('brief') } },
    ]);
  });
}
