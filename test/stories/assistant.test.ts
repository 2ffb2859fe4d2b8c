import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { useFixture } from '@roadstead/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type AgentLanguage, languages, needsLanguage } from '../support/languages.ts';
import { dataHome, startPlatform } from '../support/platform.ts';

/** The story of an assistant with nothing but our tools: it tries an agent, and finds out why it fails since the last deploy. */

/** The same agent in each language, and what is written into it. */
const agents: Readonly<
  Record<AgentLanguage, { readonly file: string; readonly before: string; readonly throws: string }>
> = {
  javascript: {
    file: 'agent.js',
    before: '  const turn',
    throws: `  if (messages.at(-1).text.startsWith('Good')) throw new Error('no farewells');\n`,
  },
  python: {
    file: 'counting.py',
    before: '    turn =',
    throws: `    if messages[-1].text.startswith("Good"):\n        raise ValueError("no farewells")\n`,
  },
};

const home = useFixture(dataHome);
const source = useFixture(dataHome);
// As behind a proxy: by this address the platform can't reach its agents.
const platform = useFixture(() =>
  startPlatform(home().path, { env: { ROADSTEAD_AGENT_URL: 'http://{slug}.agents.invalid' } }),
);
const client = useFixture(async () => {
  const headers = { 'x-api-key': platform().key, 'x-mcp-toolsets': 'all' };
  const opened = new Client({ name: 'assistant', version: '1' });
  const url = new URL(`${platform().url}/mcp`);
  await opened.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() });
});

async function call(name: string, given: Readonly<Record<string, unknown>>) {
  const { structuredContent, isError } = await client().callTool({ name, arguments: given });
  return { isError, ...(structuredContent as Readonly<Record<string, unknown>>) } as Record<string, unknown>;
}

async function deploy(language: AgentLanguage, change: (code: string) => string): Promise<void> {
  const folder = join(source().path, language);
  await cp(fileURLToPath(new URL(`../agents/${language}`, import.meta.url)), folder, { recursive: true });
  const path = join(folder, agents[language].file);
  await writeFile(path, change(await readFile(path, 'utf8')));
  const { code, stdout, stderr } = await platform().run('deploy', folder, '--name', language);
  expect([code, stdout + stderr]).toEqual([0, expect.any(String)]);
}

describe.each(languages)('an agent in %s', (language) => {
  beforeEach((context) => needsLanguage(language, context));
  const send = async (text: string, more: object = {}) =>
    call('send_message', { deployment: language, text, confirm: true, ...more });

  test('when an assistant works with it, then it learns what the last deploy broke', async () => {
    await deploy(language, (code) => code);
    const first = await send('Hello');
    expect(first).toMatchObject({ state: 'completed', text: `${language} 1: Hello` });
    const { context_id } = first;
    expect(await send('Again', { context_id })).toMatchObject({ text: `${language} 2: Again`, context_id });

    await call('add_dataset', {
      name: `greetings-${language}`,
      examples: ['Hello', 'Goodbye'].map((said) => ({
        inputs: { said },
        outputs: { text: `${language} 1: ${said}` },
      })),
      confirm: true,
    });
    const evaluators = { exact: '(inputs, outputs, wanted) => outputs.text === wanted.text' };
    const tried = {
      deployment: language,
      dataset_name: `greetings-${language}`,
      text_input: 'said',
      evaluators,
      confirm: true,
    };
    const experiment = await call('start_experiment', { ...tried, experiment_name: `before-${language}` });
    expect(experiment).toMatchObject({
      examples_run: 2,
      examples_failed: 0,
      scores: { exact: { n: 2, avg: 1 } },
    });
    expect(await call('list_experiments', { reference_dataset_name: `greetings-${language}` })).toMatchObject(
      {
        experiments: [{ name: `before-${language}`, experiment_id: experiment['experiment_id'] }],
      },
    );

    const { before, throws } = agents[language];
    await deploy(language, (code) => code.replace(before, throws + before));
    expect(await send('Hello')).toMatchObject({ state: 'completed' });
    expect(await send('Goodbye')).toMatchObject({ state: 'failed' });
    const compared = async () => call('compare_revisions', { deployment: language });
    await expect.poll(compared, { interval: 500 }).toMatchObject({ after: { traces: { run_count: 2 } } });
    expect(await compared()).toMatchObject({
      changes: {
        changed: { artifact: { from: expect.any(String) as string, to: expect.any(String) as string } },
      },
      before: { traces: { found_by: 'revision_id', run_count: 4, error_rate: 0, errors: [] } },
      after: {
        status: 'DEPLOYED',
        traces: {
          found_by: 'revision_id',
          error_rate: 0.5,
          errors: [{ message: expect.stringContaining('no farewells') as string, count: 1 }],
        },
      },
    });
  }, 240_000);
});
