import { expect, test } from 'vitest';
import { longestHold, useFixture } from '@roadstead/testing';
import { startFixture } from '../testing/observability-fixture.ts';

/** Datasets from files, and files from datasets. */

const fixture = useFixture(startFixture);

let count = 0;

interface Form {
  readonly file: string | Uint8Array;
  readonly name?: string;
  readonly [field: string]: string | readonly string[] | Uint8Array | undefined;
}

async function upload(
  { file, name = `file-${(count += 1)}.csv`, ...fields }: Form,
  path = '/datasets/upload',
) {
  const form = new FormData();
  form.append(
    'file',
    new Blob([typeof file === 'string' ? file : new Uint8Array(file)], { type: 'whatever/type' }),
    name,
  );
  for (const [field, value] of Object.entries(fields))
    for (const one of [value].flat()) form.append(field, one);
  const answer = await fixture().send(path, { method: 'POST', body: form });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) as Record<string, unknown> };
}

const get = async (path: string) => (await fixture().send(path)).text();
const count_of_datasets = async () => (JSON.parse(await get('/datasets')) as object[]).length;

test('when a CSV file is uploaded, then it becomes a dataset of the columns that its form names', async () => {
  const file = '\uFEFFq,a,tag,other\r\n"one, ""two""\nthree",1,x,-\r\nzwölf,,y,-\r\n';
  const made = await upload({
    file,
    name: 'Questions.CSV',
    input_keys: ['q'],
    output_keys: ['a'],
    metadata_keys: ['tag'],
    input_key_mappings: '{"q":"question"}',
    description: 'from a file',
  });
  expect(made).toMatchObject({
    status: 200,
    body: { name: 'Questions.CSV', description: 'from a file', example_count: 2 },
  });
  const dataset = String(made.body['id']);
  const examples = JSON.parse(await get(`/examples?dataset=${dataset}`)) as object[];
  expect(examples).toMatchObject([
    {
      inputs: { question: 'one, "two"\nthree' },
      outputs: { a: '1' },
      metadata: { tag: 'x', dataset_split: ['base'] },
    },
    { inputs: { question: 'zwölf' }, outputs: { a: '' }, metadata: { tag: 'y' } },
  ]);
  expect((await upload({ file, name: 'Questions.CSV', input_keys: ['q'] })).status).toBe(409);
  const more = await upload(
    { file: 'question,a\nlast,z', input_keys: ['question'] },
    `/examples/upload/${dataset}`,
  );
  expect(more).toMatchObject({ status: 200, body: [{ inputs: { question: 'last' }, outputs: null }] });
});

test.each([
  ['a line that is too short', { file: 'q,a\n1,2\n3\n' }, 'line 3, column'],
  ['a quote that is not closed', { file: 'q,a\n1,"2\n3,4\n' }, 'line '],
  ['a column that is not there', { file: 'x,a\n1,2\n' }, '\\"q\\" is no column'],
  ['very many columns', { file: `${Array.from({ length: 100_000 }, (_, n) => n).join(',')}\n` }, 'columns'],
  ['a name that stands twice', { file: 'q,q\n1,2\n' }, 'line 1, column 2'],
  [
    'bytes that are no text',
    { file: Buffer.concat([Buffer.from('q,a\n1,2\n3,'), Buffer.from([0xff]), Buffer.from('\n')]) },
    'line 3, column 3',
  ],
  [
    'bytes that are no text far behind',
    {
      file: Buffer.concat([
        Buffer.from(`q,a\n1,${'ü'.repeat(32_765)}`),
        Buffer.from([0xe2, 0x82]),
        Buffer.from('x\n3,4\n'),
      ]),
    },
    'line 2, column 32768',
  ],
  ['a file that is no text', { file: Buffer.from([0xff, 0x0a, 0x0a]) }, 'line 1, column 1'],
  ['an empty file', { file: '' }, 'is empty'],
  [
    'a line that is no JSON',
    { file: '{"inputs":{"q":1}}\n{"inputs":{"q":}}\n', name: 'a.jsonl', input_keys: [] },
    '"line 2"],"msg":"column 16: ',
  ],
  [
    'a line without inputs',
    { file: '{"inputs":{}}\n{"outputs":{}}\n', name: 'b.jsonl', input_keys: [] },
    'line 2',
  ],
])(
  'when an upload brings %s, then the place is named, and nothing is imported',
  async (_what, form, place) => {
    const before = await count_of_datasets();
    const refused = await upload({ input_keys: ['q'], output_keys: ['a'], ...form });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(place)]);
    expect(await count_of_datasets()).toBe(before);
  },
);

test('when a JSONL file is imported, then its examples leave in that and in the other formats', async () => {
  const first =
    '{"inputs":{"input":"Hi"},"outputs":{"output":"Hello"},"metadata":{"n":12345678901234567890}}';
  const second =
    '{"inputs":{"messages":[{"type":"human","data":{"content":"A"}}]},"outputs":{"message":{"type":"ai","data":{"content":"B"}}}}';
  const made = await upload({ file: `${first}\r\n\r\n${second}`, name: 'chat.jsonl', data_type: 'chat' });
  const path = `/datasets/${String(made.body['id'])}`;
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  const jsonl = await get(`${path}/jsonl`);
  expect(jsonl).toContain('12345678901234567890');
  expect(lines(jsonl)).toMatchObject([
    { inputs: { input: 'Hi' }, outputs: { output: 'Hello' } },
    { inputs: { messages: [{ type: 'human' }] } },
  ]);
  expect(lines(await get(`${path}/openai_ft`))).toEqual([
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'A' },
        { role: 'assistant', content: 'B' },
      ],
    },
  ]);
  expect(lines(await get(`${path}/openai`))).toEqual([
    { input: [{ role: 'user', content: 'Hi' }], ideal: 'Hello' },
    { input: [{ role: 'user', content: 'A' }], ideal: 'B' },
  ]);
  const csv = await get(`${path}/csv?as_of=latest`);
  expect(csv.split('\n', 1)).toEqual(['id,input,messages,output,message,metadata']);
  expect(await get(`${path}/csv?as_of=2020-01-01T00:00:00Z`)).toBe('id,metadata\n');
  const again = await upload({ file: csv, input_keys: ['input'], output_keys: ['output'] });
  expect(again.body['example_count']).toBe(2);
});

test('when 20,000 rows are imported and read by pages, then the event loop is not held', async () => {
  const file = `q,a\n${Array.from({ length: 20_000 }, (_, index) => `question ${index},"answer, ${index}"`).join('\n')}`;
  let made: Awaited<ReturnType<typeof upload>> | undefined;
  const held_ms = await longestHold(async () => {
    made = await upload({ file, input_keys: ['q'], output_keys: ['a'] });
  });
  expect(made?.body['example_count']).toBe(20_000);
  const page = JSON.parse(await get(`/examples?dataset=${String(made?.body['id'])}&offset=19900`)) as {
    inputs: object;
  }[];
  expect([page.length, page[0]?.inputs]).toEqual([100, { q: 'question 19900' }]);
  // The bound is 50 ms; the rest is for slow machines.
  expect(held_ms).toBeLessThan(150);
});

test('when 50,000 lines are imported, then the event loop is not held', async () => {
  const file = Array.from({ length: 50_000 }, (_, index) => `{"q":"question ${index}","a":"answer"}`).join(
    '\n',
  );
  let made: Awaited<ReturnType<typeof upload>> | undefined;
  const held_ms = await longestHold(async () => {
    made = await upload({ file, name: 'lines.jsonl', input_keys: ['q'], output_keys: ['a'] });
  });
  expect(made?.body['example_count']).toBe(50_000);
  // The bound is 50 ms; the rest is for busy machines.
  expect(held_ms).toBeLessThan(80);
});
