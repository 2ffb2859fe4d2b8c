import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { multipartInit, type Part, OTHER_WORKSPACE, startFixture } from '../testing/observability-fixture.ts';

const fixture = useFixture(startFixture);

const client = () => fixture().client();
const priceOf = (model: string, prompt_cost: number | string) => ({
  name: model,
  match_pattern: `^${model}$`,
  prompt_cost,
  completion_cost: '0.00001',
  prompt_cost_details: { cache_read: 0.0000001 },
});

type JsonObject = Readonly<Record<string, unknown>>;
/** A call of a model as SDKs send it: what it is when it begins, what it used when it ends. */
async function call(model: string, usage: JsonObject, more: JsonObject = {}): Promise<string> {
  const id = uuidv7();
  const place = { id, trace_id: id, dotted_order: `20260105T102030000000Z${id}` };
  const metadata = { ls_model_name: model, ls_provider: 'acme' };
  const parts = [
    [
      [`post.${id}`, JSON.stringify({ ...place, name: 'call', run_type: 'llm', start_time: 1, ...more })],
      [`post.${id}.extra`, JSON.stringify({ metadata })],
    ],
    [
      [`patch.${id}`, JSON.stringify({ ...place, end_time: 2 })],
      [`patch.${id}.outputs`, JSON.stringify({ usage_metadata: usage })],
    ],
  ] as const;
  for (const half of parts)
    expect((await fixture().send('/runs/multipart', multipartInit(half))).status).toBe(202);
  return id;
}

const read = async (run_id: string) =>
  (await fixture().send(`/runs/${run_id}`)).json() as Promise<JsonObject>;
const USED = {
  input_tokens: 1000,
  output_tokens: 100,
  input_token_details: { cache_read: 400 },
  output_token_details: { reasoning: 30 },
};

it('when a call comes, then it is priced, shows its price, and adds to its trace', async () => {
  const price = await client().createModelPrice({ body: priceOf('priced-1', 0.000002) });
  const root = await call('priced-1', USED);
  const run = await read(root);
  expect(run).toMatchObject({
    prompt_tokens: 1000,
    prompt_token_details: { cache_read: 400 },
    completion_token_details: { reasoning: 30 },
    prompt_cost: 0.00124,
    completion_cost: 0.001,
    total_cost: 0.00224,
    prompt_cost_details: { cache_read: 0.00004 },
    price_model_id: price.id,
  });
  const [both, one, other] = [uuidv7(), uuidv7(), uuidv7()];
  const segment = `20260105T102030000000Z${both}`;
  const below = (id: string): Part[] => [
    [
      `post.${id}`,
      JSON.stringify({
        id,
        trace_id: both,
        parent_run_id: both,
        dotted_order: `${segment}.20260105T102031000000Z${id}`,
        run_type: 'llm',
      }),
    ],
    [`post.${id}.extra`, JSON.stringify({ metadata: { ls_model_name: 'priced-1' } })],
    [`post.${id}.outputs`, JSON.stringify({ usage_metadata: USED })],
  ];
  const init = multipartInit([
    [`post.${both}`, JSON.stringify({ id: both, trace_id: both, dotted_order: segment, run_type: 'chain' })],
    ...below(one),
    ...below(other),
  ]);
  for (const _twice of [1, 2]) expect((await fixture().send('/runs/multipart', init)).status).toBe(202);
  expect(await read(both)).toMatchObject({
    total_tokens: 2200,
    prompt_token_details: { cache_read: 800 },
    completion_token_details: { reasoning: 60 },
    total_cost: 0.00448,
    prompt_cost_details: { cache_read: 0.00008 },
  });
  expect(await read(one)).toMatchObject({ total_cost: 0.00224, prompt_token_details: { cache_read: 400 } });
});

it('when costs were sent or a run calls no model, then no price is applied', async () => {
  await client().createModelPrice({ body: priceOf('sent-1', 1) });
  const sent = { ...USED, input_cost: 0.5, output_cost: '0.25', input_cost_details: { cache_read: 0.1 } };
  expect(await read(await call('sent-1', sent))).toMatchObject({
    prompt_cost: 0.5,
    completion_cost: 0.25,
    total_cost: 0.75,
    prompt_cost_details: { cache_read: 0.1 },
    price_model_id: null,
  });
  const tool = await read(await call('sent-1', { ...USED, total_cost: 0.125 }, { run_type: 'tool' }));
  expect(tool).toMatchObject({ total_tokens: 0, prompt_cost: null, total_cost: 0.125, price_model_id: null });
  const chain = await read(await call('sent-1', USED, { run_type: 'chain' }));
  expect(chain).toMatchObject({ total_tokens: 0, total_cost: null, price_model_id: null });
});

async function applied() {
  await client().applyModelPrices({ body: {} });
  await expect.poll(async () => (await client().readModelPriceApplication({})).status).toBe('done');
  return client().readModelPriceApplication({});
}

it('when prices change, then stored runs are priced again, once, and sent costs are left alone', async () => {
  const before = await call('later-1', USED);
  const sent = await call('later-1', { ...USED, total_cost: 3 });
  expect(await read(before)).toMatchObject({ total_cost: null, price_model_id: null });
  const price = await client().createModelPrice({ body: priceOf('later-1', '0.000002') });
  expect(await read(before)).toMatchObject({ total_cost: null });
  expect(await applied()).toMatchObject({ runs_changed: 1 });
  expect(await read(before)).toMatchObject({ total_cost: 0.00224, price_model_id: price.id });
  expect(await read(sent)).toMatchObject({ total_cost: 3, price_model_id: null });
  expect(await applied()).toMatchObject({ runs_changed: 0 });
  await client().putModelPrice({ params: { price_id: price.id }, body: priceOf('later-1', '0.000004') });
  expect(await applied()).toMatchObject({ runs_changed: 1 });
  expect(await read(before)).toMatchObject({
    total_cost: 0.00344,
    prompt_cost_details: { cache_read: 0.00004 },
  });
  await client().deleteModelPrice({ params: { price_id: price.id } });
  expect(await applied()).toMatchObject({ runs_changed: 1 });
  // A root shows the sum of its trace, which is now unknown.
  expect(await read(before)).toMatchObject({
    prompt_cost: null,
    total_cost: null,
    prompt_cost_details: null,
    price_model_id: null,
    prompt_token_details: { cache_read: 400 },
  });
});

it('when a trace’s only call changes, then the trace forgets what is no longer known of it', async () => {
  const price = await client().createModelPrice({ body: priceOf('forgotten-1', '0.000002') });
  const id = await call('forgotten-1', USED);
  expect(await read(id)).toMatchObject({ total_cost: 0.00224, price_model_id: price.id });
  const place = { id, trace_id: id, dotted_order: `20260105T102030000000Z${id}` };
  const init = multipartInit([
    [`patch.${id}`, JSON.stringify(place)],
    [
      `patch.${id}.outputs`,
      JSON.stringify({ usage_metadata: { input_tokens: 5, output_tokens: 1, total_cost: 3 } }),
    ],
  ]);
  expect((await fixture().send('/runs/multipart', init)).status).toBe(202);
  expect(await read(id)).toMatchObject({
    total_tokens: 6,
    total_cost: 3,
    prompt_cost: null,
    prompt_token_details: null,
    prompt_cost_details: null,
  });
});

it('when a price is another workspace’s or its pattern is not safe, then it is refused', async () => {
  const price = await client().createModelPrice({ body: priceOf('mine', 1) });
  const stranger = fixture().client(OTHER_WORKSPACE);
  expect(await stranger.listModelPrices({})).toEqual([]);
  await expect(stranger.deleteModelPrice({ params: { price_id: price.id } })).rejects.toMatchObject({
    status: 404,
  });
  expect((await client().listModelPrices({})).map(({ id }) => id)).toContain(price.id);
  const create = (body: JsonObject) =>
    fixture().send('/model-price-map', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  expect((await create({ ...priceOf('x', 1), match_pattern: '(?=x)' })).status).toBe(400);
  expect((await create({ ...priceOf('x', 1), match_path: ['elsewhere'] })).status).toBe(422);
  expect((await create({ ...priceOf('x', -1) })).status).toBe(422);
  expect((await create({ ...priceOf('x', 1), start_time: 'soon' })).status).toBe(422);
});

it('when a workspace has five hundred prices, then another one is refused', async () => {
  await fixture().fresh.db.run(
    `insert into traces.model_prices (workspace_id, id, name, match_path, match_pattern, prompt_cost, completion_cost)
     select $1, gen_random_uuid(), 'many', '{model}', '^many$', 1, 1 from generate_series(1, 500)`,
    [OTHER_WORKSPACE],
  );
  const init = {
    method: 'POST',
    body: JSON.stringify(priceOf('one-more', 1)),
    headers: { 'content-type': 'application/json' },
  };
  const refused = await fixture().send('/model-price-map', { ...init, workspace_id: OTHER_WORKSPACE });
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { detail: 'A workspace has 500 prices of models at most.' },
  ]);
  expect((await fixture().send('/model-price-map', init)).status).toBe(200);
});
