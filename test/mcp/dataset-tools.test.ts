import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { answered, listed, recordsIn, refusal } from './answers.ts';
import { type Arguments, LATEST, startMcpFixture } from './mcp-fixture.ts';

/** Datasets and examples as tools read them, over what the SDK wrote. */

const ids: Record<string, string> = {};
const idOf = (name: string): string => ids[name] ?? name;
const schema = { type: 'object', properties: { question: { type: 'string' } } };

const fixture = useFixture(startMcpFixture);
const caller = useFixture(() => fixture().connect(`client 2.x, HTTP, ${LATEST}`));
beforeAll(async () => {
  await caller().listTools();
  const langsmith = fixture().langsmith();
  const make = async (name: string, more: Parameters<typeof langsmith.createDataset>[1] = {}) => {
    ids[name] = (await langsmith.createDataset(name, more)).id;
  };
  await make('questions', {
    description: 'What customers ask',
    inputsSchema: schema,
    metadata: { team: 'a' },
  });
  await make('talks', { dataType: 'chat', metadata: { team: 'b', "it's": 'a "b"' } });
  await make('empty');
  for (const [at, question] of ['first', 'second', 'third'].entries()) {
    const example = await langsmith.createExample({
      dataset_id: idOf('questions'),
      inputs: { question },
      outputs: { answer: question.toUpperCase() },
      metadata: { at, topic: question === 'third' ? 'late' : 'early' },
      split: question === 'first' ? ['train', 'a,b'] : 'test',
    });
    ids[question] = example.id;
  }
  const { as_of } = await langsmith.readDatasetVersion({ datasetName: 'questions', asOf: 'latest' });
  await langsmith.updateDatasetTag({ datasetName: 'questions', asOf: as_of, tag: 'v1' });
  ids['v1'] = as_of;
  await langsmith.updateExample({ id: idOf('first'), inputs: { question: 'first, asked better' } });
  const talk = await langsmith.createExample({
    dataset_id: idOf('talks'),
    inputs: { long: 'x'.repeat(60_000) },
  });
  ids['talk'] = talk.id;
  const file = await langsmith.createExample({
    dataset_id: idOf('empty'),
    inputs: { with: 'a file' },
    attachments: { note: { mimeType: 'text/plain', data: Buffer.from('read me') } },
  });
  ids['file'] = file.id;
  const others = fixture().langsmith('another workspace');
  ids['theirs'] = (await others.createDataset('theirs')).id;
  ids['their example'] = (await others.createExample({ dataset_id: idOf('theirs'), inputs: {} })).id;
});

describe('list_datasets', () => {
  test.each<[string, () => Arguments, readonly string[]]>([
    ['nothing', () => ({}), ['empty', 'questions', 'talks']],
    ['ids', () => ({ dataset_ids: [idOf('talks'), idOf('empty')] }), ['empty', 'talks']],
    ['ids as a text', () => ({ dataset_ids: `["${idOf('talks')}"]` }), ['talks']],
    ['one id', () => ({ dataset_ids: idOf('talks') }), ['talks']],
    ['a type', () => ({ data_type: 'chat' }), ['talks']],
    ['a name', () => ({ dataset_name: 'questions' }), ['questions']],
    ['a name that none has', () => ({ dataset_name: 'question' }), []],
    ['a part of a name', () => ({ dataset_name_contains: 'est' }), ['questions']],
    ['metadata', () => ({ metadata: { team: 'b' } }), ['talks']],
    ['metadata as a text', () => ({ metadata: '{"team":"a"}' }), ['questions']],
    ['metadata with quotes', () => ({ metadata: { "it's": 'a "b"' } }), ['talks']],
    ['no metadata', () => ({ metadata: {} }), ['empty', 'questions', 'talks']],
    ['a dataset of another workspace', () => ({ dataset_ids: idOf('theirs') }), []],
  ])('when the call goes by %s, then it finds what fits', async (_what, given, names) => {
    const found = await listed(caller(), 'list_datasets', { key: 'datasets', ...given() });
    expect(found.map(String).toSorted()).toEqual(names);
  });

  test('when datasets are listed, then each is shown with schemas, and the list goes on', async () => {
    const page = await answered(caller(), 'list_datasets', { limit: 2 });
    expect(page).toMatchObject({ has_more: true, next_offset: 2, total_count: 2 });
    const last = await answered(caller(), 'list_datasets', { limit: '2', offset: '2' });
    expect(last).toMatchObject({ has_more: false, total_count: 1 });
    const all = [...recordsIn(page, 'datasets'), ...recordsIn(last, 'datasets')];
    expect(all.find(({ name }) => name === 'questions')).toEqual({
      id: ids['questions'],
      name: 'questions',
      description: 'What customers ask',
      data_type: 'kv',
      example_count: 3,
      session_count: 0,
      created_at: expect.any(String) as string,
      modified_at: expect.any(String) as string,
      inputs_schema_definition: schema,
      metadata: { team: 'a' },
    });
  });
});

describe('read_dataset', () => {
  test.each<[string, () => Arguments, string]>([
    ['an id', () => ({ dataset_id: idOf('talks') }), 'talks'],
    ['a name', () => ({ dataset_name: 'questions' }), 'questions'],
    ['an id before a name', () => ({ dataset_id: idOf('talks'), dataset_name: 'questions' }), 'talks'],
  ])('when the call goes by %s, then it finds what fits', async (_what, given, name) => {
    expect(await answered(caller(), 'read_dataset', given())).toEqual({
      dataset: expect.objectContaining({ id: ids[name], name }) as object,
    });
  });
});

describe('list_examples', () => {
  const questions = { dataset_name: 'questions' };
  test.each<[string, () => Arguments, readonly string[]]>([
    ['a dataset’s name', () => questions, ['first', 'second', 'third']],
    ['a dataset’s id', () => ({ dataset_id: idOf('questions') }), ['first', 'second', 'third']],
    [
      'its id before its name',
      () => ({ dataset_id: idOf('questions'), dataset_name: 'talks' }),
      ['first', 'second', 'third'],
    ],
    ['ids', () => ({ example_ids: [idOf('first'), idOf('talk')] }), ['first', 'talk']],
    ['ids as a text', () => ({ example_ids: `["${idOf('second')}"]` }), ['second']],
    ['ids within a dataset', () => ({ ...questions, example_ids: [idOf('first'), idOf('talk')] }), ['first']],
    ['a filter', () => ({ ...questions, filter: 'has(metadata, \'{"topic": "late"}\')' }), ['third']],
    [
      'a filter of several',
      () => ({ ...questions, filter: 'and(exists(metadata, "at"), not(has(metadata, "{\\"at\\": 1}")))' }),
      ['first', 'third'],
    ],
    ['metadata', () => ({ ...questions, metadata: { topic: 'early' } }), ['first', 'second']],
    ['metadata as a text', () => ({ ...questions, metadata: '{"topic":"early","at":0}' }), ['first']],
    ['a split', () => ({ ...questions, splits: 'test' }), ['second', 'third']],
    ['splits', () => ({ ...questions, splits: ['test', 'train'] }), ['first', 'second', 'third']],
    ['a split with a comma', () => ({ ...questions, splits: ['a,b'] }), ['first']],
    ['a limit', () => ({ ...questions, limit: 1, offset: '1' }), ['third']],
    ['an example of another workspace', () => ({ example_ids: idOf('their example') }), []],
    [
      'ids and all of the metadata',
      () => ({ example_ids: ['first', 'second'].map(idOf), metadata: { topic: 'early', at: 0 } }),
      ['first'],
    ],
  ])('when the call goes by %s, then it finds what fits', async (_what, given, names) => {
    const found = await listed(caller(), 'list_examples', { key: 'examples', member: 'id', ...given() });
    const named = Object.entries(ids).filter(([, id]) => found.includes(id));
    expect(named.map(([name]) => name).toSorted()).toEqual(names);
    expect(found).toHaveLength(names.length);
  });

  test.each<[string, () => Arguments, string]>([
    ['as it is', () => ({}), 'first, asked better'],
    ['of a tag', () => ({ as_of: 'v1' }), 'first'],
    ['of a time', () => ({ as_of: ids['v1'] }), 'first'],
  ])(
    'when examples are read in the version %s, then that version is shown',
    async (_what, given, question) => {
      const page = await answered(caller(), 'list_examples', { ...questions, splits: 'train', ...given() });
      expect(page).toMatchObject({ total_count: 1, has_more: false });
      expect(recordsIn(page, 'examples')).toEqual([
        expect.objectContaining({
          id: ids['first'],
          dataset_id: idOf('questions'),
          inputs: { question },
          outputs: { answer: 'FIRST' },
          metadata: expect.objectContaining({ at: 0 }) as object,
          created_at: expect.any(String) as string,
        }),
      ]);
      const read = await answered(caller(), 'read_example', { example_id: ids['first'], ...given() });
      expect(read).toMatchObject({ example: { id: ids['first'], inputs: { question } } });
    },
  );

  test('when files are asked for, then they come under their names with their addresses', async () => {
    const given = { dataset_name: 'empty', inline_s3_urls: 'false' };
    const [plain] = recordsIn(await answered(caller(), 'list_examples', given), 'examples');
    expect(plain).not.toHaveProperty('attachments');
    const page = await answered(caller(), 'list_examples', { ...given, include_attachments: 'True' });
    const [{ attachments } = {}] = recordsIn(page, 'examples') as { attachments?: Record<string, object> }[];
    expect(attachments).toEqual({
      note: { mime_type: 'text/plain', presigned_url: expect.stringMatching(/^http/) as string },
    });
  });

  test('when an example does not fit, then it is cut, says so and links to the whole', async () => {
    const page = await answered(caller(), 'list_examples', { dataset_name: 'talks' });
    expect(page).toMatchObject({
      truncated_fields: 1,
      note: expect.stringMatching(/read_example/) as string,
    });
    const [{ inputs } = {}] = recordsIn(page, 'examples') as { inputs?: { long: string } }[];
    expect(inputs?.long.length).toBeGreaterThan(20_000);
    expect(inputs?.long).toMatch(/x\.\.\. \(\+\d+ chars\)$/);
    const { content } = await caller().call('list_examples', { dataset_name: 'talks', preview_chars: 9 });
    expect(content?.[0]?.text).toContain('xxxxxxxxx... (+59991 chars)');
    expect(content?.[1]).toMatchObject({ type: 'resource_link', uri: `roadstead://examples/${ids['talk']}` });
  });

  test('when not all examples fit, then the list goes on where it ended', async () => {
    const langsmith = fixture().langsmith();
    const dataset = await langsmith.createDataset(`many ${uuidv7()}`);
    const values = Array.from({ length: 40 }, (_, at) => ({
      at,
      more: Array.from({ length: 300 }, () => at),
    }));
    await langsmith.createExamples(values.map((inputs) => ({ dataset_id: dataset.id, inputs })));
    const seen: unknown[] = [];
    let next: unknown = 0;
    while (next !== undefined) {
      const given = { dataset_id: dataset.id, limit: 25, offset: next, max_chars_per_page: 5000 };
      const page = await answered(caller(), 'list_examples', given);
      expect(JSON.stringify(page).length).toBeLessThanOrEqual(5000);
      const records = recordsIn(page, 'examples');
      expect(page['total_count']).toBe(records.length);
      expect(page['has_more']).toBe(page['next_offset'] !== undefined);
      seen.push(...records.map(({ id }) => id));
      next = page['next_offset'];
    }
    expect(seen).toHaveLength(40);
    expect(new Set(seen).size).toBe(40);
  });
});

test('when read_example is called, then it shows one whole, or cut as little as it takes', async () => {
  const { structuredContent, content } = await caller().call('read_example', { example_id: ids['talk'] });
  expect(structuredContent).toMatchObject({ example: { id: ids['talk'] }, truncated_fields: 1 });
  expect(content?.[1]).toMatchObject({ type: 'resource_link', uri: `roadstead://examples/${ids['talk']}` });
  expect(Object.keys(await answered(caller(), 'read_example', { example_id: ids['second'] }))).toEqual([
    'example',
  ]);
});

test.each<[string, string, () => Arguments, string, RegExp]>([
  ['an unknown type', 'list_datasets', () => ({ data_type: 'xml' }), 'invalid_input', /data_type/],
  ['no uuid', 'list_datasets', () => ({ dataset_ids: ['x'] }), 'invalid_input', /dataset_ids\[0\]/],
  ['broken metadata', 'list_datasets', () => ({ metadata: '{"a"' }), 'invalid_input', /metadata/],
  ['metadata that is a list', 'list_examples', () => ({ metadata: [1] }), 'invalid_input', /metadata/],
  ['no dataset', 'read_dataset', () => ({}), 'invalid_input', /dataset_id/],
  ['an unknown id', 'read_dataset', () => ({ dataset_id: uuidv7() }), 'not_found', /dataset_id/],
  ['an unknown name', 'read_dataset', () => ({ dataset_name: 'none' }), 'not_found', /dataset_name/],
  ['a dataset of others', 'read_dataset', () => ({ dataset_id: ids['theirs'] }), 'not_found', /dataset_id/],
  ['its name', 'read_dataset', () => ({ dataset_name: 'theirs' }), 'not_found', /dataset_name/],
  ['no choice of examples', 'list_examples', () => ({ limit: 5 }), 'invalid_input', /dataset_id/],
  ['an unknown dataset', 'list_examples', () => ({ dataset_name: 'none' }), 'not_found', /dataset_name/],
  ['examples of others', 'list_examples', () => ({ dataset_id: ids['theirs'] }), 'not_found', /dataset_id/],
  [
    'a broken filter',
    'list_examples',
    () => ({ dataset_name: 'questions', filter: 'has(metadata' }),
    'invalid_filter',
    /character/,
  ],
  [
    'a filter over what examples have not',
    'list_examples',
    () => ({ dataset_name: 'questions', filter: 'eq(name, "a")' }),
    'invalid_filter',
    /filter/,
  ],
  ['an empty list', 'list_examples', () => ({ example_ids: [] }), 'invalid_input', /example_ids/],
  [
    'an unknown version',
    'list_examples',
    () => ({ dataset_name: 'questions', as_of: 'v9' }),
    'not_found',
    /as_of|version/,
  ],
  ['no id', 'read_example', () => ({}), 'invalid_input', /example_id is required/],
  ['an unknown example', 'read_example', () => ({ example_id: uuidv7() }), 'not_found', /example_id/],
  [
    'an example of others',
    'read_example',
    () => ({ example_id: ids['their example'] }),
    'not_found',
    /example/,
  ],
  [
    'an example before it was there',
    'read_example',
    () => ({ example_id: ids['first'], as_of: '2020-01-01T00:00:00Z' }),
    'not_found',
    /as_of/,
  ],
])('when the call has %s, then it is refused by %s', async (_what, name, given, code, says) => {
  expect(await caller().call(name, given())).toMatchObject(refusal(code, says));
});
