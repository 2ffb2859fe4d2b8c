import { uuidv7 } from '@roadstead/kit';
import { PROJECT, traceOf, turnOf } from './mcp-fixture.ts';
import type { KnownInputs } from './shapes.ts';
import { DEPLOYMENT } from './whole-api.ts';

/** Something of every kind that tools read, told apart by a word that is in all of it. */

export type Send = (path: string, body: object) => Promise<{ readonly id: string }>;

export function sender(url: string, key: string): Send {
  return async (path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
}

export async function seed(send: Send, word: string): Promise<KnownInputs> {
  const trace_id = uuidv7();
  const thread_id = `thread of ${word}`;
  const marked = { inputs: { text: `${word} ${'x'.repeat(400)}` }, tags: [word] };
  await send('/runs/batch', { post: traceOf(trace_id, 5, marked), patch: [] });
  const turns = [0, 1].map((at) =>
    turnOf({
      thread_id,
      at,
      inputs: { messages: [{ role: 'user', content: `${word} asks` }] },
      outputs: { messages: [{ role: 'assistant', content: `${word} answers` }] },
    }),
  );
  await send('/runs/batch', { post: turns, patch: [] });
  const dataset = await send('/datasets', { name: `dataset of ${word}`, description: word });
  const example = await send('/examples', {
    dataset_id: dataset.id,
    inputs: { question: `${word}?` },
    outputs: { answer: word },
    metadata: { word },
  });
  const experiments = [];
  for (const name of ['first', 'second']) {
    const experiment = await send('/sessions', {
      name: `${name} experiment of ${word}`,
      reference_dataset_id: dataset.id,
      start_time: '2026-01-07T00:00:00Z',
    });
    const run_id = uuidv7();
    await send('/runs/batch', {
      post: traceOf(run_id, 1, {
        session_name: undefined,
        session_id: experiment.id,
        reference_example_id: example.id,
        outputs: { answer: `${name} of ${word}` },
      }),
      patch: [],
    });
    await send('/feedback', { run_id, key: 'correctness', score: name === 'first' ? 0 : 1, comment: word });
    experiments.push(experiment.id);
  }
  const prompt_name = `prompt-of-${word}`;
  await send('/repos', { repo_handle: prompt_name, is_public: false, description: word });
  await send(`/commits/-/${prompt_name}`, { manifest: promptOf(word) });
  return {
    values: {
      project_name: PROJECT,
      limit: 5,
      page_number: 1,
      max_chars_per_page: 2000,
      max_chars: 2000,
      preview_chars: 60,
      trace_id,
      run_id: trace_id,
      thread_id,
      dataset_id: dataset.id,
      dataset_ids: [dataset.id],
      dataset_name: `dataset of ${word}`,
      reference_dataset_id: dataset.id,
      reference_dataset_name: `dataset of ${word}`,
      example_id: example.id,
      example_ids: [example.id],
      reference_example_id: example.id,
      prompt_name,
      filter: 'eq(run_type, "tool")',
      trace_filter: 'eq(name, "step 0")',
      tree_filter: 'eq(run_type, "tool")',
      metadata: { word },
      splits: ['base'],
      as_of: 'latest',
      min_start_time: '2026-01-01T00:00:00Z',
      max_start_time: '2026-02-01T00:00:00Z',
      starting_on: '2026-01-01',
      ending_before: '2026-02-01',
      deployment: DEPLOYMENT,
      revision: '1',
      experiments: JSON.stringify(experiments),
      confirm: true,
      template: `${word} {question}`,
      text: word,
      add: [{ inputs: { question: word } }],
      query: word,
    },
    needs: {
      list_examples: ['dataset_id'],
      read_dataset: ['dataset_id'],
      list_experiments: ['reference_dataset_id'],
      get_trace_tree: ['trace_id'],
      commit_prompt: ['template', 'confirm'],
      add_dataset: ['confirm'],
      edit_examples: ['dataset_id', 'add', 'confirm'],
      send_message: ['text', 'confirm'],
      start_experiment: ['dataset_id', 'confirm'],
    },
  };
}

function promptOf(word: string): object {
  const template = { lc: 1, type: 'constructor', id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'] };
  return { ...template, kwargs: { template: `${word} {question}`, input_variables: ['question'] } };
}
