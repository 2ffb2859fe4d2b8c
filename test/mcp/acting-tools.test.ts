import { useFixture } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { type ActingFixture, examples, startActing } from './acting-fixture.ts';

const fixture = useFixture(startActing);
const agent = () => fixture().agent;
const both = () => fixture().both;
const content: ActingFixture['content'] = (...given) => fixture().content(...given);
beforeEach(() => {
  agent().reads_until_done = 1;
  agent().received.length = 0;
});

test('when send_message is called, then it answers what the agent says and the ids to go on by', async () => {
  const { tracer_session_id } = (
    await both()
      .control.client()
      .listDeployments({ query: { name: 'support' } })
  ).resources[0] ?? { tracer_session_id: undefined };
  const first = await content('send_message', { deployment: 'support', text: 'hi', message_id: 'm-1' });
  expect(first).toMatchObject({
    state: 'completed',
    text: 'HI',
    data: { length: 2 },
    tracing_project_id: tracer_session_id,
  });
  expect(agent().received[0]).toMatchObject({
    method: 'message/send',
    params: {
      message: { messageId: 'm-1', parts: [{ kind: 'text', text: 'hi' }] },
      configuration: { blocking: false },
    },
  });
  const { context_id } = first;
  await content('send_message', { deployment: 'support', data: { question: 'x' }, context_id });
  expect(agent().received.at(-2)?.params.message).toMatchObject({
    contextId: context_id,
    parts: [{ kind: 'data', data: { question: 'x' } }],
  });
});

test('when the agent asks or fails, then send_message hands on what it asks or what went wrong', async () => {
  const asked = await content('send_message', { deployment: 'support', text: 'ask' });
  expect(asked).toMatchObject({ state: 'input-required', text: 'Which order?' });
  const { task_id } = asked;
  expect(await content('send_message', { deployment: 'support', text: '7', task_id })).toMatchObject({
    state: 'completed',
    task_id,
  });
  expect(await content('send_message', { deployment: 'support', text: 'fail' })).toMatchObject({
    state: 'failed',
    text: 'It broke.',
  });
});

test('when its time is over, then send_message stops waiting, and waits again by the task’s id', async () => {
  agent().reads_until_done = 2;
  const sent = await content('send_message', { deployment: 'support', text: 'slow', wait_s: 0 });
  expect(sent).toMatchObject({ state: 'working', note: expect.stringContaining('task_id alone') as string });
  const { task_id } = sent;
  // Only a look, which asks nobody.
  expect(await content('send_message', { deployment: 'support', task_id, confirm: false })).toMatchObject({
    state: 'completed',
    text: 'SLOW',
  });
});

test('when the agent is switched meanwhile, then send_message still comes through', async () => {
  agent().away = 2;
  expect(await content('send_message', { deployment: 'support', text: 'hi' })).toMatchObject({ text: 'HI' });
  expect(agent().received.filter(({ method }) => method === 'message/send')).toHaveLength(1);
});

test('when an agent’s card names another address, then the key does not go there', async () => {
  const card = agent().card_url;
  try {
    for (const url of [
      'http://evil.test/agents/support/a2a/agent',
      'http://roadstead.test/agents/other/a2a/agent',
    ]) {
      agent().card_url = url;
      const { error } = await content('send_message', { deployment: 'support', text: 'hi' });
      expect(error?.code).toBe('agent_elsewhere');
    }
    expect(agent().received).toEqual([]);
  } finally {
    agent().card_url = card;
  }
});

test.each([
  [{ deployment: 'support' }, 'invalid_input'],
  [{ deployment: 'nobody', text: 'x' }, 'not_found'],
  [{ deployment: 'support', text: 'x', assistant: 'nobody' }, 'not_found'],
  [{ deployment: 'support', task_id: uuidv7() }, 'agent_refused'],
])('when send_message gets %j, then it answers %s', async (given, code) => {
  expect(await content('send_message', given)).toMatchObject({ isError: true, error: { code } });
});

test('when commit_prompt is called, then it makes a prompt, and commits only what is new', async () => {
  const messages = [
    { role: 'system', content: 'You answer about {topic}.' },
    { role: 'placeholder', content: 'history' },
    { role: 'user', content: '{question}' },
  ];
  const first = await content('commit_prompt', {
    prompt_name: 'answers',
    messages,
    commit_description: 'first',
  });
  expect(first).toMatchObject({ prompt_name: 'answers', created: true, changed: true });
  expect(
    await content('commit_prompt', { prompt_name: '-/answers', messages: JSON.stringify(messages) }),
  ).toEqual({
    ...first,
    created: false,
    changed: false,
  });
  const second = await content('commit_prompt', { prompt_name: 'answers', template: 'Answer {question}' });
  expect(second).toMatchObject({ created: false, changed: true });
  const { commits } = await both()
    .traces.client()
    .listPromptCommits({ params: { owner: '-', repo: 'answers' }, query: {} });
  expect(commits.map(({ commit_hash, description }) => [commit_hash, description])).toEqual([
    [second['commit_hash'], null],
    [first['commit_hash'], 'first'],
  ]);
});

test.each([
  [{ prompt_name: 'Bad Name', template: 'x' }, 'prompt_name'],
  [{ prompt_name: 'p' }, 'one of messages'],
  [{ prompt_name: 'p', template: 'x', manifest: {} }, 'one of messages'],
  [{ prompt_name: 'p', template: 'half {a brace' }, 'brace'],
  [{ prompt_name: 'p', messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
  [{ prompt_name: 'p', messages: [{ role: 'user' }] }, 'messages[0]'],
  [{ prompt_name: 'p', manifest: { id: ['evil', 'thing'] } }, 'not supported'],
])('when commit_prompt gets %j, then it refuses', async (given, says) => {
  const { error } = await content('commit_prompt', given);
  expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(says) as string });
});

test('when add_dataset is called, then it makes a dataset with its examples, once', async () => {
  const added = await content('add_dataset', { name: 'questions', description: 'What is asked', examples });
  expect(added).toMatchObject({ name: 'questions', example_count: 2 });
  const listed = await both()
    .traces.client()
    .listExamples({ query: { dataset: String(added['dataset_id']) } });
  expect(listed).toHaveLength(2);
  expect(listed.find(({ inputs }) => inputs['question'] === 'one')).toMatchObject({
    outputs: { text: 'ONE' },
    metadata: { topic: 'a', dataset_split: ['test'] },
  });
  expect(await content('add_dataset', { name: 'questions', examples })).toMatchObject({
    isError: true,
    error: { code: 'conflict' },
  });
  expect(await content('add_dataset', { name: 'empty' })).toMatchObject({ example_count: 0 });
});

test('when an example is wrong, then add_dataset writes nothing', async () => {
  const wrong = [...examples, { inputs: 'text' }];
  expect(await content('add_dataset', { name: 'broken', examples: wrong })).toMatchObject({
    error: { code: 'invalid_input', message: 'examples[2].inputs must be an object.' },
  });
  expect(
    await both()
      .traces.client()
      .listDatasets({ query: { name: 'broken' } }),
  ).toEqual([]);
});

test('when edit_examples is called, then it adds, changes and deletes, and says what it did', async () => {
  const { dataset_id } = await content('add_dataset', { name: 'edited', examples });
  const dataset = String(dataset_id);
  const listed = await both().traces.client().listExamples({ query: { dataset } });
  const [one, two] = ['one', 'two'].map(
    (name) => listed.find(({ inputs }) => inputs['question'] === name)?.id ?? '',
  );
  const id = uuidv7();
  const given = {
    dataset_name: 'edited',
    add: [{ id, inputs: { question: 'three' } }],
    update: [{ id: one, outputs: { text: 'changed' } }],
    delete: [two],
  };
  expect(await content('edit_examples', given)).toMatchObject({
    dataset_id,
    added_ids: [id],
    updated: 1,
    deleted: 1,
  });
  const after = await both().traces.client().listExamples({ query: { dataset } });
  expect(new Map(after.map((example) => [example.id, example]))).toEqual(
    new Map([
      [one, expect.objectContaining({ inputs: { question: 'one' }, outputs: { text: 'changed' } }) as object],
      [id, expect.objectContaining({ inputs: { question: 'three' } }) as object],
    ]),
  );
  // What is gone is known before anything is done.
  const again = await content('edit_examples', given);
  expect(again.error).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(two ?? '') as string,
  });
  expect(await content('edit_examples', { dataset_id, add: given.add })).toMatchObject({
    error: { code: 'conflict', message: expect.stringContaining('Nothing was done.') as string },
  });
});

test.each([
  [{ dataset_name: 'questions' }, 'nothing to do'],
  [{ add: [{ inputs: {} }] }, 'dataset_name and dataset_id'],
  [{ dataset_name: 'questions', update: [{ outputs: {} }] }, 'update[0].id'],
  [{ dataset_name: 'questions', update: [{ id: uuidv7() }] }, 'nothing that should change'],
  [{ dataset_name: 'questions', add: [{ inputs: {}, input: {} }] }, 'not known'],
])('when edit_examples gets %j, then it refuses', async (given, says) => {
  const { error } = await content('edit_examples', given);
  expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(says) as string });
});

test('when an agent says much in refusing, then it is told up to a length', async () => {
  agent().refusal = 'x'.repeat(100_000);
  try {
    const { error } = await content('send_message', { deployment: 'support', text: 'hi' });
    expect(error).toMatchObject({ code: 'agent_refused' });
    expect(error?.message.length).toBeLessThan(3000);
  } finally {
    agent().refusal = undefined;
  }
});
