/** What to paste into a terminal to fill a list that is empty; a key is put in by whoever pastes it. */

const post = (address: string, body: unknown): string =>
  [
    `curl --fail-with-body -X POST ${address} \\`,
    `  -H 'X-Api-Key: YOUR_KEY' -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');

const roadstead = (origin: string, words: string): string =>
  `ROADSTEAD_API_KEY=YOUR_KEY roadstead ${words} --url ${origin}`;

export const fillingLines = {
  alert: (origin: string) =>
    post(`${origin}/v2/alerts`, {
      name: 'Failures',
      metric: 'error_rate',
      comparison: 'above',
      threshold: 0.05,
      window_s: 900,
    }),
  example: (origin: string, dataset: string) =>
    post(`${origin}/examples`, {
      dataset_id: dataset,
      inputs: { question: 'What is the capital of France?' },
      outputs: { answer: 'Paris' },
    }),
  integration: (origin: string) =>
    post(`${origin}/v2/integrations`, {
      kind: 'github',
      name: 'acme',
      host: 'github.com',
      credential: { kind: 'token', token: 'YOUR_TOKEN' },
    }),
  key: (origin: string) =>
    roadstead(origin, 'key create ci --scope deployments:read --scope deployments:write'),
  listener: (origin: string) =>
    roadstead(origin, `listener join berlin --agent-url 'https://berlin.example.com/agents/{slug}'`),
  person: (origin: string) => roadstead(origin, 'user add anna --role member'),
  price: (origin: string) =>
    post(`${origin}/model-price-map`, {
      name: 'gpt-5',
      match_pattern: '^gpt-5$',
      prompt_cost: 0.00000125,
      completion_cost: 0.00001,
    }),
  queue: (origin: string) => post(`${origin}/annotation-queues`, { name: 'To review' }),
  rule: (origin: string) =>
    post(`${origin}/runs/rules`, {
      display_name: 'Keep failures longer',
      session_id: 'ID_OF_A_PROJECT',
      filter: 'eq(status, "error")',
      sampling_rate: 1,
      extend_only: true,
    }),
  webhook: (origin: string) =>
    post(`${origin}/v2/webhooks`, {
      url: 'https://receiver.example.com/roadstead',
      kinds: ['revision.status'],
    }),
} as const;
